import Domain
import Engine

/// What is durable in a world: tables, and the constraints the real schema has.
final class Database {
    struct Device {
        var row: DeviceRow
        var tokens: [TokenKey: SealedToken] = [:]

        var digest: Set<TokenDigest> { Set(tokens.values.map(\.digest)) }
        var isWakeable: Bool { tokens.values.contains { $0.digest.transport.isAlertCapable } }
    }

    struct TaskID: Hashable, Comparable {
        let user: UserKey
        let device: DeviceKey
        let seq: MailboxSeq

        static func < (left: Self, right: Self) -> Bool {
            (left.user, left.device, left.seq) < (right.user, right.device, right.seq)
        }
    }

    private(set) var users: [UserKey: UserRow] = [:]
    private(set) var keys: [UserName: UserKey] = [:]
    private(set) var messages: [MessageName: Message] = [:]
    private(set) var entries: [UserKey: [MailboxEntry]] = [:]
    /// The same entries, for whoever counts by hand.
    private(set) var ledgers: [UserKey: Ledger] = [:]
    private(set) var devices: [DeviceKey: Device] = [:]
    private(set) var tasks: [TaskID: TaskRow] = [:]
    private(set) var attempts: [TaskID: Int] = [:]
    private(set) var outcomes: [TaskID: OutcomeRow] = [:]
    private(set) var checkpoints: [UserKey: CheckpointRow] = [:]
    private(set) var wakes: [UserKey: WallTime] = [:]
    private(set) var records: [UserKey: RecordRow] = [:]
    private(set) var settings: [UserKey: UserSettings] = [:]
    /// Messages that were taken back, and when: known ones, and such as never came.
    private(set) var tombstones: [MessageName: Int64] = [:]
    let calls = CallTable()
    let digests = DigestLog()
    /// Told of each row that the schema would refuse.
    var onViolation: (String) -> Void = { _ in }
    /// Shards whose last owner stopped as planned.
    private var drained: Set<Int> = []

    /// Whether the shard's last owner drained; from now on it has a new one.
    func take(_ shard: Int) -> Bool { drained.remove(shard) != nil }

    func commit(_ changes: ChangeSet, of shard: Int) -> Committed {
        if changes.marksDrained { drained.insert(shard) }
        for row in changes.newUsers {
            check(keys[row.name] == nil, "a user is inserted twice")
            users[row.key] = row
            keys[row.name] = row.key
        }
        for row in changes.messages {
            let name = MessageName(tenant: row.tenant, message: row.message.id)
            if messages[name] == nil { messages[name] = row.message }
        }
        for row in changes.entries { append(row) }
        for row in changes.devices { devices[row.key, default: Device(row: row)].row = row }
        for row in changes.cursors { move(row) }
        commitTasks(changes)
        check(
            Set(changes.checkpoints.map(\.user)).count == changes.checkpoints.count,
            "a checkpoint is written twice in a batch")
        for row in changes.checkpoints { checkpoints[row.user] = row }
        for violation in calls.commit(changes.calls) { onViolation(violation) }
        for row in changes.wakes { wakes[row.user] = row.at }
        for row in changes.records { records[row.user] = row }
        for row in changes.settings { settings[row.user] = row.settings }
        return Committed(digestRevisions: commitTokens(changes, shard: shard))
    }

    private func commitTokens(_ changes: ChangeSet, shard: Int) -> ClosedRange<Int64>? {
        var changed: Set<DeviceKey> = []
        for key in changes.tokensRemoved {
            for device in devices.keys where devices[device]?.tokens.removeValue(forKey: key) != nil {
                changed.insert(device)
            }
        }
        for row in changes.tokensAdded {
            check(devices[row.device] != nil, "a token without a device")
            devices[row.device]?.tokens[row.token.digest.key] = row.token
            changed.insert(row.device)
        }
        let revisions = digests.append(changes.digestsChanged.keys.sorted(), shard: shard, devices)
        for key in changed {
            check(digests.tokens(of: key) == devices[key]?.digest, "a digest differs from its tokens")
        }
        return revisions
    }

    private func commitTasks(_ changes: ChangeSet) {
        for row in changes.tasksMade {
            let id = TaskID(user: row.user, device: row.device, seq: row.seq)
            check(tasks[id] == nil && outcomes[id] == nil, "a task is made twice: \(id)")
            tasks[id] = row
        }
        for move in changes.tasksMoved {
            let id = TaskID(user: move.task.user, device: move.task.device, seq: move.task.seq)
            guard let row = tasks[id] else { continue }
            attempts[id] = move.attempts
            tasks[id] = TaskRow(
                key: row.key, user: row.user, device: row.device, message: row.message, mention: row.mention,
                seq: row.seq, state: move.state, materialisedAt: row.materialisedAt, dueAt: move.dueAt)
        }
        for reference in changes.tasksEnded {
            let id = TaskID(user: reference.user, device: reference.device, seq: reference.seq)
            check(tasks[id] != nil, "a task ends that is not there: \(id)")
            tasks[id] = nil
        }
        for row in changes.outcomes {
            let id = TaskID(user: row.user, device: row.device, seq: row.seq)
            check(outcomes[id] == nil, "a second outcome: \(id) \(row.outcome)")
            outcomes[id] = row
        }
    }

    private func append(_ row: EntryRow) {
        let head = Int64(entries[row.user]?.count ?? 0)
        check(row.entry.seq == head + 1, "a gap in the mailbox at \(row.entry.seq)")
        let isNew = ledgers[row.user, default: Ledger()].write(row.entry)
        check(isNew, "a message is materialised twice")
        entries[row.user, default: []].append(row.entry)
    }

    private func move(_ row: CursorRow) {
        guard let device = devices[row.device] else { return check(false, "a cursor without a device") }
        check(row.appliedSeq >= device.row.appliedSeq, "a cursor moves backwards")
        devices[row.device]?.row = DeviceRow(
            key: row.device, user: device.row.user, device: device.row.device, appliedSeq: row.appliedSeq,
            knownSinceSeq: device.row.knownSinceSeq, profile: device.row.profile)
    }

    /// Another process takes a device's tokens away.
    func takeTokens(of key: DeviceKey, shard: Int) {
        devices[key]?.tokens = [:]
        _ = digests.append([key], shard: shard, devices)
    }

    func recall(_ message: MessageName, at now: Int64) {
        if tombstones[message] == nil { tombstones[message] = now }
    }

    func entry(of task: TaskID) -> MailboxEntry? {
        guard let log = entries[task.user], log.indices.contains(Int(task.seq) - 1) else { return nil }
        return log[Int(task.seq) - 1]
    }

    /// The message a task is for, and how it names the user.
    func message(of task: TaskID) -> (message: Message, mention: Mention)? {
        guard case .message(let message, let mention, _)? = entry(of: task)?.change else { return nil }
        return (message, mention)
    }

    private func check(_ holds: Bool, _ what: @autoclosure () -> String) {
        if !holds { onViolation(what()) }
    }
}
