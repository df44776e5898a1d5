import Domain
import Engine

/// One rule of the contract: the sentence of domain.md that it holds, and how a world sees it broken.
///
/// It is told what can be seen from outside of the server, at the moment at which it happens, and may look at
/// the world; of the server's own state it knows nothing.
protocol Invariant: AnyObject {
    var sentence: String { get }
    var world: World { get }

    /// The database has committed a batch.
    func committed(_ transaction: Transaction)
    /// A push leaves the server.
    func left(_ push: Push)
    /// A provider has decided about a push; its answer may be lost.
    func answered(_ push: Push, _ verdict: PushVerdict)
    /// AUTH_OK; `isRevoked`: for a credential that the backend knows to be revoked.
    func welcomed(_ client: SimulatedClient, _ welcome: Welcome, isRevoked: Bool)
    /// ENTRY frames on a device's connection, behind the entry that was written last.
    func wrote(_ entries: [MailboxEntry], to client: SimulatedClient, after last: MailboxSeq)
    /// SESSION_DELTA and BADGE_UPDATE.
    func shown(
        _ link: SimulatedLink, _ client: SimulatedClient, _ deltas: [ConversationDelta], _ badge: BadgeState?,
        at seq: MailboxSeq)
    /// An answer of the API.
    func told(_ user: UserName, _ badge: BadgeState)
    /// 202 to a recall.
    func recallAnswered(_ message: MessageName)
    /// CALL on a device's connection.
    func rang(_ client: SimulatedClient, _ call: Call)
    /// 202 to a call.
    func callAnswered(_ call: IncomingCall)
    /// 202 to the end of a call.
    func cancelAnswered(_ call: CallName)
    func stepEnded()
    /// All faults are over, and time enough has passed for every duty.
    func settled()
}

extension Invariant {
    func committed(_ transaction: Transaction) {}
    func left(_ push: Push) {}
    func answered(_ push: Push, _ verdict: PushVerdict) {}
    func welcomed(_ client: SimulatedClient, _ welcome: Welcome, isRevoked: Bool) {}
    func wrote(_ entries: [MailboxEntry], to client: SimulatedClient, after last: MailboxSeq) {}
    func shown(
        _ link: SimulatedLink, _ client: SimulatedClient, _ deltas: [ConversationDelta], _ badge: BadgeState?,
        at seq: MailboxSeq
    ) {}
    func told(_ user: UserName, _ badge: BadgeState) {}
    func recallAnswered(_ message: MessageName) {}
    func rang(_ client: SimulatedClient, _ call: Call) {}
    func callAnswered(_ call: IncomingCall) {}
    func cancelAnswered(_ call: CallName) {}
    func stepEnded() {}
    func settled() {}

    func hold(_ isTrue: Bool, _ otherwise: @autoclosure () -> String) {
        if !isTrue { world.violated(sentence, otherwise()) }
    }
}

/// The specification in executable form: every rule that a world is watched for.
enum AllInvariants {
    static func of(_ world: World) -> [any Invariant] {
        [
            EveryEntryWakes(world), PushesLeaveInTime(world), OneNotificationPerTask(world),
            OneRequestPerToken(world), NothingIsSentInVain(world), EveryEndHasItsReason(world),
            BadgeIsTheCount(world), ReadsNeverUnread(world), MutesSilence(world), MutesEnd(world),
            MailboxIsWhole(world), RevokedStaysOut(world), OnlyCallsUseVoIP(world), NothingStaysOpen(world),
            DigestsAreFollowed(world), ReadsRevoke(world), RecallIsForGood(world),
            CoversSpareTheUnread(world), SilentPushesAreForTheAbsent(world), ScreensTellTheTruth(world),
            BadgesConverge(world), QuietHoursAreQuiet(world), LimitsAreExact(world),
            WakesKeepTheirBudget(world), CallsRingInTime(world), CallsRingAll(world), CallsEnd(world),
            CallEndsHaveTheirReason(world), CallsKeepTheirQuota(world), CallEndsAreTold(world),
        ]
    }
}
