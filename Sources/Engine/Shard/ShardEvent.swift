package import Domain

/// Everything that can happen to a shard, in one inbox, in one order.
///
/// What comes with every push is held in place, and so small; what is rarer and larger is held elsewhere.
enum ShardEvent: Sendable {
    case ingest(IngestPart)
    indirect case read(UserName, ReadTarget, by: DeviceID?, Reply<BadgeState>)
    indirect case configure(
        UserName, ConversationID, isMuted: Bool, until: WallTime?, Reply<ConversationStatus>)
    /// A message was taken back: for the users named, who are loaded, and all others in memory.
    case recall(MessageName, loading: [UserName], made: Int, Reply<Int>)
    indirect case configureUser(UserName, UserSettings.Change, Reply<UserSettings>)
    indirect case look(UserName, Look)
    case page(PageRequest, Reply<MailboxPage>)
    indirect case register(UserName, DeviceID, Registration, Reply<DeviceStatus>)
    indirect case loseTokens(UserName, DeviceID, lookups: Set<[UInt8]>, Reply<Void>)
    /// Another account has registered tokens of this device, which both keep.
    case tokensShared(UserName, DeviceID, lookups: Set<[UInt8]>)
    indirect case signOut(UserName, DeviceID, User.SignOut, Reply<Void>)
    indirect case applied(UserName, DeviceID, MailboxSeq, Reply<Void>)
    /// A call that a device makes with its own credential: refused if that was revoked.
    indirect case byDevice(UserName, DeviceCaller, ShardEvent)

    indirect case connected(Link, User.Resume)
    case pull(UserName, ConnectionID, after: MailboxSeq, limit: Int)
    case pushed(UserName, ConnectionID, through: MailboxSeq)
    case linkApplied(UserName, ConnectionID, MailboxSeq)
    case linkRead(UserName, ConnectionID, ConversationID, MailboxSeq)
    case closed(UserName, ConnectionID, CloseCause, silentFor: Int64)

    case reported([PushReport])
    case windowChanged(ChannelID, Int, reason: String)
    case timePassed([UserName])
    case readBack([UserKey])
    /// Which users does time alone concern, that are not in memory?
    case pollWakes
    case wakeUsers([UserKey])
    indirect case policyChanged(Tenant)
    case tenantRemoved(TenantKey)
    case audit([AuditedTask], Reply<[AuditDoubt]>)
    indirect case call(CallEvent)
    case followDigests

    /// A question that changes nothing.
    enum Look: Sendable {
        /// Nothing but whether the caller's credential is taken.
        case permission(Reply<Void>)
        case badge(Reply<BadgeState>)
        case devices(Reply<[DeviceStatus]>)
        case conversations(after: ConversationID?, limit: Int, Reply<[ConversationStatus]>)
        case tasks(MessageID?, Reply<[LiveTask]>)
    }
}

/// An open task as seen from outside.
package struct LiveTask: Sendable {
    package let device: DeviceID
    package let message: MessageID
    package let seq: MailboxSeq
    package let state: String
    package let attempts: Int
    package let steps: [TraceStep]
}

/// A message for some of its recipients, all of one shard.
struct IngestPart: Sendable {
    let call: IngestCall
    let index: Int
    let tenant: TenantKey
    let message: Message
    let recipients: [Recipient]

    struct Recipient: Sendable {
        let user: UserID
        let mention: Mention
    }
}

/// One authenticated gateway connection, a fact that outlives the shard's tentative state.
struct Link: Sendable {
    let user: UserName
    let device: DeviceID
    let connection: ConnectionID
    let credentialIssuedAt: WallTime
    let sink: any DeviceLink
}

extension ShardEvent {
    /// How much of a batch it takes.
    var weight: Int {
        switch self {
        case .ingest(let part): part.recipients.count
        case .page, .pull: 20
        case .timePassed(let users): users.count
        case .reported(let reports): reports.count
        case .readBack(let users), .wakeUsers(let users): users.count
        case .byDevice(_, _, let call): call.weight
        case .audit(let tasks, _): tasks.count
        case .recall: LoadRequest.recallTargetsLimit
        case .followDigests: 20
        case .call(let event): event.weight
        default: 1
        }
    }

    /// Evidence and facts are kept while the shard is away; what a caller can repeat is refused.
    var isRepeatable: Bool {
        switch self {
        case .ingest, .read, .configure, .configureUser, .recall, .look, .page, .register, .loseTokens,
            .signOut, .applied, .connected,
            .linkRead, .pull, .byDevice, .audit, .followDigests:
            true
        case .call(let event): event.isRepeatable
        case .pushed, .linkApplied, .closed, .reported, .windowChanged, .timePassed, .readBack, .pollWakes,
            .tokensShared, .wakeUsers, .policyChanged, .tenantRemoved:
            false
        }
    }

    /// Answers the caller that nothing was done, or that it is not known.
    func refuse(_ refusal: Refusal) {
        switch self {
        case .ingest(let part): part.call.settle(part.index, new: 0, tasks: 0, refusal: refusal)
        case .read(_, _, _, let reply): reply(.failure(refusal))
        case .byDevice(_, _, let call): call.refuse(refusal)
        case .configure(_, _, _, _, let reply): reply(.failure(refusal))
        case .recall(_, _, _, let reply): reply(.failure(refusal))
        case .configureUser(_, _, let reply): reply(.failure(refusal))
        case .look(_, .permission(let reply)): reply(.failure(refusal))
        case .look(_, .badge(let reply)): reply(.failure(refusal))
        case .look(_, .devices(let reply)): reply(.failure(refusal))
        case .look(_, .conversations(_, _, let reply)): reply(.failure(refusal))
        case .look(_, .tasks(_, let reply)): reply(.failure(refusal))
        case .page(_, let reply): reply(.failure(refusal))
        case .register(_, _, _, let reply): reply(.failure(refusal))
        case .loseTokens(_, _, _, let reply): reply(.failure(refusal))
        case .signOut(_, _, _, let reply): reply(.failure(refusal))
        case .applied(_, _, _, let reply): reply(.failure(refusal))
        case .audit(_, let reply): reply(.failure(refusal))
        case .call(let event): event.refuse(refusal)
        case .connected(let link, _): link.sink.close(.goingAway)
        case .linkRead, .pull, .pushed, .linkApplied, .closed, .reported, .windowChanged, .timePassed,
            .readBack, .pollWakes, .tokensShared, .wakeUsers, .policyChanged, .tenantRemoved, .followDigests:
            break
        }
    }
}

extension ShardBatch {
    /// Makes room for what the events bring, most of which is one message for one device of one user.
    mutating func expect(_ events: [ShardEvent]) {
        var (recipients, reports) = (0, 0)
        for event in events {
            switch event {
            case .ingest(let part): recipients += part.recipients.count
            case .reported(let all): reports += all.count
            default: break
            }
        }
        changes.entries.reserveCapacity(recipients)
        changes.tasksMade.reserveCapacity(recipients)
        changes.messages.reserveCapacity(min(recipients, events.count))
        materialised.reserveCapacity(recipients)
        effects.reserveCapacity(effects.count + 3 * recipients)
        changes.tasksEnded.reserveCapacity(reports)
        changes.outcomes.reserveCapacity(reports)
        landed.reserveCapacity(reports)
    }
}
