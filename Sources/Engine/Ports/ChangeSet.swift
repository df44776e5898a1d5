package import Domain

/// All that one transaction of a shard writes, table by table; each list is one statement.
package struct ChangeSet: Sendable {
    package var newUsers: [UserRow] = []
    /// Inserted unless a message of that tenant and id is there already (another shard may be first: it wrote
    /// the same row, since the key of a message in flight is shared). Sorted by (tenant, id) by the store.
    package var messages: [MessageRow] = []
    package var entries: [EntryRow] = []
    /// Devices to insert or overwrite, whole.
    package var devices: [DeviceRow] = []
    package var cursors: [CursorRow] = []
    package var tokensRemoved: [TokenKey] = []
    package var tokensAdded: [TokenRow] = []
    /// Devices whose tokens change, and when: their digests are written by the same transaction.
    package var digestsChanged: [DeviceKey: WallTime] = [:]
    package var tasksMade: [TaskRow] = []
    package var tasksMoved: [TaskMove] = []
    package var tasksEnded: [TaskReference] = []
    package var outcomes: [OutcomeRow] = []
    package var checkpoints: [CheckpointRow] = []
    package var wakes: [WakeRow] = []
    package var records: [RecordRow] = []
    package var settings: [SettingsRow] = []
    package var calls = CallChanges()
    /// Set by the last transaction of a planned drain.
    package var marksDrained = false
    /// Whether somebody else reads the tables next: nothing of it, and of what was committed before, may be
    /// on its way to them. By itself no reason for a transaction.
    package var settles = false

    package init() {}

    package var isEmpty: Bool {
        newUsers.isEmpty && messages.isEmpty && entries.isEmpty && devices.isEmpty
            && cursors.isEmpty && tokensRemoved.isEmpty && tokensAdded.isEmpty && tasksMade.isEmpty
            && tasksMoved.isEmpty && tasksEnded.isEmpty && outcomes.isEmpty && checkpoints.isEmpty
            && wakes.isEmpty && records.isEmpty && settings.isEmpty && digestsChanged.isEmpty
            && calls.isEmpty && !marksDrained
    }
}

package struct UserRow: Sendable {
    package let key: UserKey
    package let name: UserName
    package let mailboxID: MailboxID

    package init(key: UserKey, name: UserName, mailboxID: MailboxID) {
        self.key = key
        self.name = name
        self.mailboxID = mailboxID
    }
}

package struct MessageRow: Sendable {
    package let tenant: TenantKey
    package let message: Message

    package init(tenant: TenantKey, message: Message) {
        self.tenant = tenant
        self.message = message
    }
}

package struct EntryRow: Sendable {
    package let user: UserKey
    package let entry: MailboxEntry

    package init(user: UserKey, entry: MailboxEntry) {
        self.user = user
        self.entry = entry
    }
}

package struct DeviceRow: Sendable {
    package let key: DeviceKey
    package let user: UserKey
    package let device: DeviceID
    package let appliedSeq: MailboxSeq
    package let knownSinceSeq: MailboxSeq
    package let profile: DeviceProfile

    package init(
        key: DeviceKey, user: UserKey, device: DeviceID, appliedSeq: MailboxSeq,
        knownSinceSeq: MailboxSeq = 0, profile: DeviceProfile
    ) {
        self.key = key
        self.user = user
        self.device = device
        self.appliedSeq = appliedSeq
        self.knownSinceSeq = knownSinceSeq
        self.profile = profile
    }
}

package struct CursorRow: Sendable {
    package let device: DeviceKey
    package let appliedSeq: MailboxSeq
    package let lastSeen: WallTime

    package init(device: DeviceKey, appliedSeq: MailboxSeq, lastSeen: WallTime) {
        self.device = device
        self.appliedSeq = appliedSeq
        self.lastSeen = lastSeen
    }
}

package struct TokenRow: Sendable {
    package let user: UserKey
    package let tenant: TenantKey
    package let device: DeviceKey
    package let token: SealedToken

    package init(user: UserKey, tenant: TenantKey, device: DeviceKey, token: SealedToken) {
        self.user = user
        self.tenant = tenant
        self.device = device
        self.token = token
    }
}

package struct TaskRow: Sendable {
    package let key: TaskKey
    package let user: UserKey
    package let device: DeviceKey
    package let message: MessageKey
    package let mention: Mention
    package let seq: MailboxSeq
    package let state: StoredTaskState
    package let materialisedAt: WallTime
    package let dueAt: WallTime

    package init(
        key: TaskKey, user: UserKey, device: DeviceKey, message: MessageKey, mention: Mention,
        seq: MailboxSeq,
        state: StoredTaskState, materialisedAt: WallTime, dueAt: WallTime
    ) {
        self.key = key
        self.user = user
        self.device = device
        self.message = message
        self.mention = mention
        self.seq = seq
        self.state = state
        self.materialisedAt = materialisedAt
        self.dueAt = dueAt
    }
}

/// What a transaction was given by the database.
package struct Committed: Equatable, Sendable {
    /// The revisions of the digests it wrote; nil: none.
    package let digestRevisions: ClosedRange<Int64>?

    package init(digestRevisions: ClosedRange<Int64>? = nil) { self.digestRevisions = digestRevisions }
}

/// The primary key of a task row, (user, device, seq), with which it is found again.
package struct TaskReference: Sendable {
    package let user: UserKey
    package let device: DeviceKey
    package let seq: MailboxSeq

    package init(user: UserKey, device: DeviceKey, seq: MailboxSeq) {
        self.user = user
        self.device = device
        self.seq = seq
    }
}

package struct TaskMove: Sendable {
    package let task: TaskReference
    package let state: StoredTaskState
    package let dueAt: WallTime
    package let attempts: Int

    package init(task: TaskReference, state: StoredTaskState, dueAt: WallTime, attempts: Int) {
        self.task = task
        self.state = state
        self.dueAt = dueAt
        self.attempts = attempts
    }
}

/// How one (message, user, device) ended, kept for `explain_retention`.
package struct OutcomeRow: Sendable {
    package let user: UserKey
    package let device: DeviceKey
    package let seq: MailboxSeq
    package let outcome: Outcome
    package let reason: OutcomeReason
    package let endedAt: WallTime
    /// `TraceEncoding`.
    package let trace: [UInt8]

    package init(
        user: UserKey, device: DeviceKey, seq: MailboxSeq, outcome: Outcome, reason: OutcomeReason,
        endedAt: WallTime, trace: [UInt8]
    ) {
        self.user = user
        self.device = device
        self.seq = seq
        self.outcome = outcome
        self.reason = reason
        self.endedAt = endedAt
        self.trace = trace
    }
}

package struct CheckpointRow: Sendable {
    package let user: UserKey
    package let throughSeq: MailboxSeq
    /// `ProjectionEncoding`, opaque to the store.
    package let projection: [UInt8]

    package init(user: UserKey, throughSeq: MailboxSeq, projection: [UInt8]) {
        self.user = user
        self.throughSeq = throughSeq
        self.projection = projection
    }
}

/// What a user's pushes have left its devices with; written over the former.
package struct RecordRow: Sendable {
    package let user: UserKey
    /// Whether a device is owed a cover or a badge: such users are named at the shard's opening.
    package let isOwed: Bool
    /// `PushRecord`.
    package let record: [UInt8]
    /// Whether the user may have no row yet. False only of a row that was loaded or committed.
    package let isFirst: Bool

    package init(
        user: UserKey, isOwed: Bool, record: [UInt8], isFirst: Bool = true
    ) {
        self.isFirst = isFirst
        self.user = user
        self.isOwed = isOwed
        self.record = record
    }
}

/// When a user has to be looked at by time alone; nil: the row goes.
package struct WakeRow: Sendable {
    package let user: UserKey
    package let at: WallTime?

    package init(user: UserKey, at: WallTime?) {
        self.user = user
        self.at = at
    }
}

/// All that a user has set.
package struct SettingsRow: Sendable {
    package let user: UserKey
    package let settings: UserSettings

    package init(user: UserKey, settings: UserSettings) {
        self.user = user
        self.settings = settings
    }
}
