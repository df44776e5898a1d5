import Domain

/// A batch under way: its events, what its transaction writes, and what may be performed after the commit.
struct ShardBatch {
    var events: [ShardEvent] = []
    var changes = ChangeSet()
    var effects: [Effect] = []
    /// Requests whose reports this batch records.
    var landed: [UInt64] = []
    /// (user, message) materialised by this batch, for repeats inside it.
    var materialised: Set<MaterialisedKey> = []
    /// (user, message) recalled by this batch, likewise.
    var recalled: Set<RecalledKey> = []
    /// The revision of the digest log that this batch has followed through.
    var followsThrough: Int64?
    private var devices: [DeviceKey: DeviceRow] = [:]
    private var cursors: [DeviceKey: CursorRow] = [:]
    private var moves: [TaskID: TaskMove] = [:]
    private var wakes: [UserKey: WakeRow] = [:]
    /// Users whose record is written, as it is at the end of the batch; each is marked so, and named once.
    private var records: [CachedUser] = []
    /// Covers and badge-only pushes that came to their end.
    var silentPushes: [ShardCounters.SilentKey: UInt64] = [:]
    private var settings: [UserKey: SettingsRow] = [:]
    private var checkpoints: [UserKey: CheckpointRow] = [:]
    var calls = CallBatch()

    struct MaterialisedKey: Hashable {
        let user: UserKey
        let message: MessageKey
    }

    struct RecalledKey: Hashable {
        let user: UserName
        let message: MessageID
    }

    private struct TaskID: Hashable {
        let device: DeviceKey
        let seq: MailboxSeq
    }

    enum Effect {
        case reply(() -> Void)
        /// One part of a request's messages is settled.
        case settle(IngestCall, index: Int, new: Int, tasks: Int)
        /// More of what was only begun.
        case submit(ShardEvent)
        case welcome(ConnectionID, Welcome)
        case page(ConnectionID, [MailboxEntry], isLast: Bool)
        case deliver(ConnectionID, MailboxEntry)
        case showBadge(UserName)
        case showConversation(UserName, ConversationID)
        case refuse(ConnectionID, code: String, detail: String)
        case close(ConnectionID, LinkClose)
        case queue(CachedUser, DeviceKey, ChannelID, PushPriority)
        case call(CallEffect)
    }

    var isEmpty: Bool {
        changes.isEmpty && effects.isEmpty && devices.isEmpty && cursors.isEmpty && moves.isEmpty
            && wakes.isEmpty && records.isEmpty && settings.isEmpty && checkpoints.isEmpty
            && calls.isEmpty
    }

    mutating func putRecord(of cached: CachedUser) {
        guard !cached.awaitsRecord else { return }
        cached.awaitsRecord = true
        records.append(cached)
    }

    mutating func put(_ row: DeviceRow) { devices[row.key] = row }

    mutating func put(_ row: CursorRow) { cursors[row.device] = row }

    mutating func put(_ row: WakeRow) { wakes[row.user] = row }

    mutating func put(_ row: SettingsRow) { settings[row.user] = row }

    /// A user can pass several checkpoints in one batch.
    mutating func put(_ row: CheckpointRow) { checkpoints[row.user] = row }

    /// Of several moves of one task the last counts.
    mutating func put(_ move: TaskMove) {
        moves[TaskID(device: move.task.device, seq: move.task.seq)] = move
    }

    /// A statement may name a row once; so the newest version of each row is written.
    mutating func seal(at now: Moment) {
        changes.devices = Array(devices.values)
        changes.cursors = Array(cursors.values)
        changes.tasksMoved = Array(moves.values)
        // In one order, since a change of a tenant's policy writes this table, too.
        changes.wakes = wakes.values.sorted { $0.user < $1.user }
        changes.records = records.map { cached in
            defer {
                cached.hasRecordRow = true
                cached.awaitsRecord = false
            }
            return RecordRow(&cached.user, isFirst: !cached.hasRecordRow, at: now)
        }
        changes.settings = Array(settings.values)
        changes.checkpoints = Array(checkpoints.values)
        changes.calls = calls.changes
    }

    func refuse(_ refusal: Refusal) {
        for event in events where event.isRepeatable { event.refuse(refusal) }
    }
}

extension ShardEvent {
    var isReadBack: Bool { if case .readBack = self { true } else { false } }
}

extension RecordRow {
    /// - Parameter user: read where it lies; it is too large to be copied for each record.
    fileprivate init(_ user: inout User, isFirst: Bool, at now: Moment) {
        self.init(
            user: user.key, isOwed: user.isOwed, record: user.pushRecord(at: now).encoded(), isFirst: isFirst)
    }
}

extension ShardCounters {
    mutating func add(_ batch: ShardBatch) {
        silentPushes.merge(batch.silentPushes, uniquingKeysWith: +)
        entries += UInt64(batch.changes.entries.count)
        tasks += UInt64(batch.changes.tasksMade.count)
        messages += UInt64(batch.changes.messages.count)
        // Most of a batch end alike, one behind the other: counted before they are looked up.
        var run: (key: OutcomeKey, count: UInt64)?
        for row in batch.changes.outcomes {
            if let former = run, former.key.outcome == row.outcome, former.key.reason == row.reason {
                run?.count += 1
            } else {
                add(run)
                run = (OutcomeKey(outcome: row.outcome, reason: row.reason), 1)
            }
        }
        add(run)
        for end in batch.calls.ends {
            calls.outcomes[OutcomeKey(outcome: end.outcome, reason: end.reason), default: 0] += 1
        }
    }

    private mutating func add(_ run: (key: OutcomeKey, count: UInt64)?) {
        guard let run else { return }
        outcomes[run.key, default: 0] += run.count
        if run.key.outcome == .applied { applied += run.count }
    }
}
