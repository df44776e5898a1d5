package import Domain

/// The engine's end of one authenticated gateway connection. Called on the shard's loop, only after the
/// commit that makes it true; the gateway hops to the connection's loop, keeping the order of calls.
package protocol DeviceLink: Sendable {
    /// AUTH_OK: the snapshot. `isLive`: nothing has to be caught up.
    func welcome(_ welcome: Welcome)
    /// A page of the catch-up, answer to `Engine.pull`; `isLast`: what follows comes by `deliver`.
    func page(_ entries: [MailboxEntry], isLast: Bool)
    /// Live entries, in order, without a gap after the last page or delivery.
    func deliver(_ entries: [MailboxEntry])
    /// What has changed by a commit: the conversations as they stand now (SESSION_DELTA; each once), and the
    /// badge, if its numbers moved (BADGE_UPDATE). `seq` is the mailbox's head they reflect, and grows.
    func show(_ conversations: [ConversationDelta], _ badge: BadgeState?, at seq: MailboxSeq)
    /// The engine lost its place (a failed commit): pull again from the last entry written, then live.
    func resume()
    /// CALL; it may come twice for one call, around a reload.
    func ring(_ call: Call)
    /// CALL_CANCELLED: the call was answered elsewhere, cancelled, or has expired.
    func callEnded(_ call: CallID, reason: String)
    /// An ERROR frame; the connection stays.
    func refuse(code: String, detail: String)
    func close(_ reason: LinkClose)
}

package enum LinkClose: Sendable {
    /// 4001
    case replaced
    /// 4010
    case signedOut
    /// 4003: the credential was issued before the device was logged out remotely.
    case credentialRevoked
    /// 1001
    case goingAway
}

package struct Welcome: Equatable, Sendable {
    package let mailboxID: MailboxID
    package let mailboxSeq: MailboxSeq
    package let firstSeq: MailboxSeq
    /// Entries the client asked for have left by retention.
    package let isTruncated: Bool
    package let badge: BadgeState
    /// The seq after which the replay begins: what the client said,
    /// 0 for a strange mailbox, the head for `from: head`.
    package let replayAfter: MailboxSeq
    package let isLive: Bool

    package init(
        mailboxID: MailboxID, mailboxSeq: MailboxSeq, firstSeq: MailboxSeq, isTruncated: Bool,
        badge: BadgeState,
        replayAfter: MailboxSeq, isLive: Bool
    ) {
        self.mailboxID = mailboxID
        self.mailboxSeq = mailboxSeq
        self.firstSeq = firstSeq
        self.isTruncated = isTruncated
        self.badge = badge
        self.replayAfter = replayAfter
        self.isLive = isLive
    }
}
