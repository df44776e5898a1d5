package import Domain

/// The durable side of one shard: loads, and one transaction at a time. Bound to the shard's loop; every
/// completion is called on it, never before the call has returned.
package protocol ShardStore: AnyObject {
    /// Opens the shard: connects anew, then takes the shard row for this owner and epoch, which shuts out
    /// every older transaction still running (the row is locked by each of them), and answers with the users
    /// that have open tasks, the one with the earliest due time first, and those that are owed a cover or a
    /// badge.
    func open(_ done: @escaping (Result<ShardOpening, StoreFailure>) -> Void)

    /// Reads what a batch needs. All parts come from committed data.
    func load(_ request: LoadRequest, _ done: @escaping (Result<LoadedBatch, StoreFailure>) -> Void)

    /// Commits a batch in one transaction that first locks the shard row and compares the epoch. The tasks of
    /// it are loaded from then on; who reads their table by another way asks for `LoadRequest.settles` first.
    ///
    /// `.unavailable` leaves the outcome unknown: the caller drops its state and opens the shard anew.
    func commit(_ changes: ChangeSet, _ done: @escaping (Result<Committed, StoreFailure>) -> Void)

    /// Gives up the connection.
    func close()
}

package enum StoreFailure: Error, Equatable, Sendable {
    /// The database is away, too slow, or the connection broke: the outcome is unknown.
    case unavailable(String)
    /// Another owner has the shard: nothing was written.
    case fenced
    /// A token of the batch was registered elsewhere meanwhile (unique violation): nothing was written.
    case tokenTaken
    /// A defect of ours or of the data; nothing was written. SQLSTATE and a text without row values.
    case failed(String)
}

package struct ShardOpening: Sendable {
    /// Users with open tasks, earliest due first, then those whose devices are owed something.
    package let usersToReadBack: [UserKey]
    /// Whether the last owner drained: then holds keep their deadlines.
    package let wasDrained: Bool
    /// The newest revision of the digest log: what is loaded from now on is not older.
    package let digestRevision: Int64
    /// What of former commits could not be applied, a line for each: nothing of it is known to the shard.
    package let defects: [String]

    package init(
        usersToReadBack: [UserKey], wasDrained: Bool, digestRevision: Int64 = 0, defects: [String] = []
    ) {
        self.defects = defects
        self.usersToReadBack = usersToReadBack
        self.wasDrained = wasDrained
        self.digestRevision = digestRevision
    }
}

package struct UserName: Hashable, Sendable {
    package let tenant: TenantKey
    package let user: UserID

    package init(tenant: TenantKey, user: UserID) {
        self.tenant = tenant
        self.user = user
    }
}

package struct MessageName: Hashable, Sendable {
    package let tenant: TenantKey
    package let message: MessageID

    package init(tenant: TenantKey, message: MessageID) {
        self.tenant = tenant
        self.message = message
    }
}

package struct LoadRequest: Sendable {
    /// Users to load whole, by name …
    package var users: [UserName] = []
    /// … or by key (read-back).
    package var userKeys: [UserKey] = []
    /// Whoever has an open task, or a call that rings, is in memory: of these users neither is read.
    package var dutiesAreInMemory = false
    /// Users in memory who shared tokens with other accounts: which of the tokens are still shared?
    package var sharing: [Sharing] = []
    /// Messages to look up, each named once, with the recipients for whom it is about to be materialised.
    package var messages: [MessageProbe] = []
    /// Calls to look up, each named once, with the users whose legs are asked for.
    package var calls: [CallProbe] = []
    /// Pages of mailboxes.
    package var pages: [PageRequest] = []
    /// Messages that were taken back: whose mailboxes have them without the recall, at most
    /// `recallTargetsLimit` each.
    package var recalls: [MessageName] = []
    package static let recallTargetsLimit = 500
    /// The users of this shard whose stored wake is due by then: at most `wakesLimit`, the earliest first.
    package var wakesDueBy: WallTime?
    package static let wakesLimit = 200
    /// Whether somebody else reads tasks next: all that were committed are in their table by the answer.
    package var settles = false
    /// What of the digest log to follow; read last, so that nothing else of the load is newer.
    package var digests: DigestQuery?

    package init() {}

    package var isEmpty: Bool {
        users.isEmpty && userKeys.isEmpty && messages.isEmpty && pages.isEmpty && recalls.isEmpty
            && calls.isEmpty && wakesDueBy == nil && digests == nil && sharing.isEmpty && !settles
    }

    package struct Sharing: Sendable {
        package let user: UserName
        package let tokens: [TokenKey]

        package init(user: UserName, tokens: [TokenKey]) {
            self.user = user
            self.tokens = tokens
        }
    }
}

package struct MessageProbe: Sendable {
    package let name: MessageName
    package let recipients: [UserID]

    package init(name: MessageName, recipients: [UserID]) {
        self.name = name
        self.recipients = recipients
    }
}

package struct PageRequest: Sendable {
    package let user: UserName
    package let after: MailboxSeq
    /// At most 200.
    package let limit: Int

    package init(user: UserName, after: MailboxSeq, limit: Int) {
        self.user = user
        self.after = after
        self.limit = limit
    }
}

package struct LoadedBatch: Sendable {
    /// What was found; a name that is missing here has never been seen.
    package var users: [StoredUser] = []
    /// Of the tokens of `LoadRequest.sharing`, those that another user holds, too.
    package var sharedTokens: Set<TokenKey> = []
    /// Messages that exist already; a name that is missing here is new.
    package var messages: [MessageName: KnownMessage] = [:]
    /// Of the messages asked about, those that were taken back.
    package var recalled: Set<MessageName> = []
    /// By the messages of `LoadRequest.recalls`.
    package var recallTargets: [MessageName: [RecallTarget]] = [:]
    /// Calls that exist already.
    package var calls: [CallName: KnownCall] = [:]
    /// In the order of the request; entries ascending from `after`.
    package var pages: [[MailboxEntry]] = []
    /// Whose stored wake is due.
    package var wakes: [UserKey] = []
    /// Changes of the digest log, in the order of their revisions; at most `DigestQuery.limit`.
    package var digests: [FollowedDigest] = []

    package init() {}
}

/// A mailbox that has a message and not its recall.
package struct RecallTarget: Sendable {
    package let user: UserName
    package let seq: MailboxSeq
    package let conversation: ConversationID

    package init(user: UserName, seq: MailboxSeq, conversation: ConversationID) {
        self.user = user
        self.seq = seq
        self.conversation = conversation
    }
}

package struct KnownMessage: Sendable {
    package let message: Message
    /// Of the recipients asked about, those who have its entry, and at which seq.
    package let recipients: [UserID: MailboxSeq]

    package init(message: Message, recipients: [UserID: MailboxSeq]) {
        self.message = message
        self.recipients = recipients
    }
}

package struct StoredUser: Sendable {
    package let key: UserKey
    package let name: UserName
    package let mailboxID: MailboxID
    /// The lowest seq still kept; 1 in a mailbox of which nothing has left.
    package let firstSeq: MailboxSeq
    /// The projection as last stored, empty if never; it reflects entries through `checkpointSeq`.
    package let checkpoint: [UInt8]
    package let checkpointSeq: MailboxSeq
    /// The entries after the checkpoint, ascending.
    package let tail: [EntryFact]
    package let devices: [StoredDevice]
    /// Open tasks, ascending by seq.
    package let tasks: [StoredTask]
    /// What its pushes have left; nil: never a push.
    package let record: StoredRecord?
    package let settings: UserSettings
    /// Calls that ring, the oldest first.
    package let calls: [StoredLeg]

    package init(
        key: UserKey, name: UserName, mailboxID: MailboxID, firstSeq: MailboxSeq = 1,
        checkpoint: [UInt8] = [],
        checkpointSeq: MailboxSeq = 0, tail: [EntryFact] = [], devices: [StoredDevice] = [],
        tasks: [StoredTask] = [], record: StoredRecord? = nil, settings: UserSettings = UserSettings(),
        calls: [StoredLeg] = []
    ) {
        self.calls = calls
        self.key = key
        self.name = name
        self.mailboxID = mailboxID
        self.firstSeq = firstSeq
        self.checkpoint = checkpoint
        self.checkpointSeq = checkpointSeq
        self.tail = tail
        self.devices = devices
        self.tasks = tasks
        self.record = record
        self.settings = settings
    }
}

package struct StoredRecord: Sendable {
    /// `PushRecord`.
    package let record: [UInt8]
    package let isOwed: Bool
    /// By the seqs of their entries; without the payloads.
    package let messages: [MailboxSeq: Message]

    package init(record: [UInt8], isOwed: Bool, messages: [MailboxSeq: Message]) {
        self.record = record
        self.isOwed = isOwed
        self.messages = messages
    }
}

package struct StoredDevice: Sendable {
    package let key: DeviceKey
    package let device: DeviceID
    package let appliedSeq: MailboxSeq
    package let knownSinceSeq: MailboxSeq
    package let profile: DeviceProfile
    /// By the digest log: what decides whether and how it can be woken.
    package let digest: [TokenDigest]
    /// What the sender opens.
    package let tokens: [SealedToken]
    /// Those that another user holds, too.
    package let sharedTokens: Set<TokenKey>
    /// VoIP pushes of the last day that had any.
    package let voIPCount: VoIPCount?

    package init(
        key: DeviceKey, device: DeviceID, appliedSeq: MailboxSeq, knownSinceSeq: MailboxSeq = 0,
        profile: DeviceProfile, digest: [TokenDigest], tokens: [SealedToken],
        sharedTokens: Set<TokenKey> = [], voIPCount: VoIPCount? = nil
    ) {
        self.voIPCount = voIPCount
        self.key = key
        self.device = device
        self.appliedSeq = appliedSeq
        self.knownSinceSeq = knownSinceSeq
        self.profile = profile
        self.digest = digest
        self.tokens = tokens
        self.sharedTokens = sharedTokens
    }
}

package struct StoredTask: Sendable {
    package let key: TaskKey
    package let device: DeviceKey
    package let message: Message
    package let mention: Mention
    package let seq: MailboxSeq
    package let materialisedAt: WallTime
    package let state: StoredTaskState
    package let dueAt: WallTime
    package let attempts: Int
    /// Its message was taken back, while a request for it was with the provider.
    package let isRecalled: Bool

    package init(
        key: TaskKey, device: DeviceKey, message: Message, mention: Mention, seq: MailboxSeq,
        materialisedAt: WallTime, state: StoredTaskState, dueAt: WallTime, attempts: Int,
        isRecalled: Bool = false
    ) {
        self.isRecalled = isRecalled
        self.key = key
        self.device = device
        self.message = message
        self.mention = mention
        self.seq = seq
        self.materialisedAt = materialisedAt
        self.state = state
        self.dueAt = dueAt
        self.attempts = attempts
    }
}
