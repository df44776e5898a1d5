package import Domain
import Engine
import Synchronization

/// What is durable in a test: the tables that the ports speak of, in memory.
package final class MemoryDatabase: Sendable {
    struct Tables {
        var users: [UserKey: UserRow] = [:]
        var keys: [UserName: UserKey] = [:]
        var messages: [MessageName: Message] = [:]
        var entries: [UserKey: [MailboxEntry]] = [:]
        var devices: [DeviceKey: DeviceRow] = [:]
        var tokens: [TokenKey: TokenRow] = [:]
        var tasks: [DeviceKey: [MailboxSeq: TaskRow]] = [:]
        var outcomes: [OutcomeRow] = []
        var wakes: [UserKey: WallTime] = [:]
        var records: [UserKey: RecordRow] = [:]
        var recalled: Set<MessageName> = []
        var settings: [UserKey: UserSettings] = [:]
        var calls = MemoryCalls()
        var isAway = false
    }

    let tables = Mutex(Tables())

    package init() {}

    /// Whether every call fails as it does while the database is away.
    package var isAway: Bool {
        get { tables.withLock { $0.isAway } }
        set { tables.withLock { $0.isAway = newValue } }
    }

    package var entryCount: Int { tables.withLock { $0.entries.values.reduce(0) { $0 + $1.count } } }
    package var tokenCount: Int { tables.withLock { $0.tokens.count } }

    package func appliedSeq(of device: DeviceID) -> MailboxSeq? {
        tables.withLock { $0.devices.values.first { $0.device == device }?.appliedSeq }
    }

    func shard(of user: UserKey, count: Int) -> Int? {
        tables.withLock { $0.users[user].map { ShardMap.shard(of: $0.name, count: count) } }
    }

    func commit(_ changes: ChangeSet) {
        tables.withLock { tables in
            for row in changes.newUsers {
                tables.users[row.key] = row
                tables.keys[row.name] = row.key
            }
            for row in changes.messages {
                let name = MessageName(tenant: row.tenant, message: row.message.id)
                if tables.messages[name] == nil { tables.messages[name] = row.message }
            }
            for row in changes.entries { tables.entries[row.user, default: []].append(row.entry) }
            for row in changes.devices { tables.devices[row.key] = row }
            for row in changes.cursors { tables.move(row) }
            for key in changes.tokensRemoved { tables.tokens[key] = nil }
            for row in changes.tokensAdded { tables.tokens[row.token.digest.key] = row }
            for row in changes.tasksMade { tables.tasks[row.device, default: [:]][row.seq] = row }
            for task in changes.tasksEnded { tables.tasks[task.device]?[task.seq] = nil }
            tables.outcomes += changes.outcomes
            for row in changes.wakes { tables.wakes[row.user] = row.at }
            for row in changes.records { tables.records[row.user] = row }
            for row in changes.settings { tables.settings[row.user] = row.settings }
            tables.calls.commit(changes.calls)
        }
    }

    func load(_ request: LoadRequest) -> LoadedBatch {
        tables.withLock { tables in
            var batch = LoadedBatch()
            let asked = request.users.compactMap { tables.keys[$0] } + request.userKeys
            batch.users = asked.compactMap { tables.user($0) }
            for name in request.recalls { batch.recallTargets[name] = tables.recallTargets(name) }
            for probe in request.messages {
                if tables.recalled.contains(probe.name) { batch.recalled.insert(probe.name) }
                guard let message = tables.messages[probe.name] else { continue }
                var found: [UserID: MailboxSeq] = [:]
                for user in probe.recipients {
                    found[user] = tables.seq(
                        of: message.id, UserName(tenant: probe.name.tenant, user: user))
                }
                batch.messages[probe.name] = KnownMessage(message: message, recipients: found)
            }
            for probe in request.calls {
                let keys = probe.users.map {
                    ($0, tables.keys[UserName(tenant: probe.name.tenant, user: $0)])
                }
                batch.calls[probe.name] = tables.calls.known(probe.name, keys)
            }
            if let time = request.wakesDueBy {
                batch.wakes = tables.wakes.filter { $0.value <= time }.keys.sorted()
            }
            for page in request.pages {
                let log = tables.keys[page.user].flatMap { tables.entries[$0] } ?? []
                batch.pages.append(Array(log.dropFirst(Int(page.after)).prefix(page.limit)))
            }
            return batch
        }
    }
}

extension MemoryDatabase.Tables {
    fileprivate mutating func move(_ row: CursorRow) {
        guard let device = devices[row.device] else { return }
        devices[row.device] = DeviceRow(
            key: device.key, user: device.user, device: device.device, appliedSeq: row.appliedSeq,
            knownSinceSeq: device.knownSinceSeq, profile: device.profile)
    }

    func seq(of message: MessageID, _ user: UserName) -> MailboxSeq? {
        keys[user].flatMap { entries[$0] }?.first {
            if case .message(let other, _, _) = $0.change { other.id == message } else { false }
        }?.seq
    }

    fileprivate func recallTargets(_ name: MessageName) -> [RecallTarget] {
        users.values.compactMap { user in
            guard user.name.tenant == name.tenant, let seq = seq(of: name.message, user.name),
                let entry = entries[user.key]?[Int(seq) - 1]
            else { return nil }
            let isDone = entries[user.key]?.contains {
                if case .recall(_, name.message, _) = $0.change { true } else { false }
            }
            guard isDone == false else { return nil }
            return RecallTarget(user: user.name, seq: seq, conversation: entry.fact.change.conversation)
        }
    }

    fileprivate func record(of user: UserKey) -> StoredRecord? {
        guard let row = records[user] else { return nil }
        var messages: [MailboxSeq: Message] = [:]
        for seq in PushRecord(decoding: row.record, messages: [:])?.shownSeqs ?? [] {
            guard case .message(let message, _, _)? = entries[user]?[Int(seq) - 1].change else { continue }
            messages[seq] = message.withoutPayload
        }
        return StoredRecord(record: row.record, isOwed: row.isOwed, messages: messages)
    }

    fileprivate func user(_ key: UserKey) -> StoredUser? {
        guard let row = users[key] else { return nil }
        let log = entries[key] ?? []
        let own = devices.values.filter { $0.user == key }.sorted { $0.key < $1.key }
        return StoredUser(
            key: key, name: row.name, mailboxID: row.mailboxID, tail: log.map(\.fact),
            devices: own.map { device in
                let tokens = tokens.values.filter { $0.device == device.key }.map(\.token)
                return StoredDevice(
                    key: device.key, device: device.device, appliedSeq: device.appliedSeq,
                    knownSinceSeq: device.knownSinceSeq, profile: device.profile,
                    digest: tokens.map(\.digest), tokens: tokens, voIPCount: calls.counts[device.key])
            }, tasks: own.flatMap { openTasks(of: $0.key, log) }, record: record(of: key),
            settings: settings[key] ?? UserSettings(), calls: calls.ringing(at: key))
    }

    private func openTasks(of device: DeviceKey, _ log: [MailboxEntry]) -> [StoredTask] {
        (tasks[device] ?? [:]).values.sorted { $0.seq < $1.seq }.compactMap { row in
            guard case .message(let message, _, _) = log[Int(row.seq) - 1].change else { return nil }
            return StoredTask(
                key: row.key, device: row.device, message: message, mention: row.mention, seq: row.seq,
                materialisedAt: row.materialisedAt, state: row.state, dueAt: row.dueAt, attempts: 0)
        }
    }
}
