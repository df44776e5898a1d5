import Domain
import Engine

/// What is durable in a world: tables, and the constraints the real schema has.
final class Database {
    struct Device {
        var row: DeviceRow
        var tokens: [TokenKey: SealedToken] = [:]

        var digest: Set<TokenDigest> { Set(tokens.values.map(\.digest)) }
    }

    struct TaskID: Hashable {
        let user: UserKey
        let device: DeviceKey
        let seq: MailboxSeq
    }

    var users: [UserKey: UserRow] = [:]
    var keys: [UserName: UserKey] = [:]
    var messages: [MessageName: Message] = [:]
    var entries: [UserKey: [MailboxEntry]] = [:]
    var devices: [DeviceKey: Device] = [:]
    var tasks: [TaskID: TaskRow] = [:]
    var attempts: [TaskID: Int] = [:]
    var outcomes: [TaskID: Outcome] = [:]
    var checkpoints: [UserKey: CheckpointRow] = [:]
    var wakes: [UserKey: WallTime] = [:]
    var records: [UserKey: RecordRow] = [:]
    var settings: [UserKey: UserSettings] = [:]
    let calls = CallTable()
    let digests = DigestLog()
    /// Shards whose last owner stopped as planned.
    private var drained: Set<Int> = []
    private(set) var violations: [String] = []

    /// Whether the shard's last owner drained; from now on it has a new one.
    func take(_ shard: Int) -> Bool { drained.remove(shard) != nil }

    func commit(_ changes: ChangeSet, of shard: Int) -> Committed {
        if changes.marksDrained { drained.insert(shard) }
        for row in changes.newUsers {
            check(keys[row.name] == nil, "a user is inserted twice")
            users[row.key] = row
            keys[row.name] = row.key
        }
        for row in changes.messages where messages[name(row)] == nil { messages[name(row)] = row.message }
        for row in changes.entries { append(row) }
        for row in changes.devices { devices[row.key, default: Device(row: row)].row = row }
        for row in changes.cursors { move(row) }
        for key in changes.tokensRemoved {
            for device in devices.keys { devices[device]?.tokens[key] = nil }
        }
        for row in changes.tokensAdded {
            check(devices[row.device] != nil, "a token without a device")
            devices[row.device]?.tokens[row.token.digest.key] = row.token
        }
        commitTasks(changes)
        check(
            Set(changes.checkpoints.map(\.user)).count == changes.checkpoints.count,
            "a checkpoint is written twice in a batch")
        for row in changes.checkpoints { checkpoints[row.user] = row }
        for row in changes.wakes { wakes[row.user] = row.at }
        for row in changes.records { records[row.user] = row }
        for row in changes.settings { settings[row.user] = row.settings }
        violations += calls.commit(changes.calls)
        let revisions = digests.append(changes.digestsChanged.keys.sorted(), shard: shard, devices)
        for (key, device) in devices {
            check(digests.tokens(of: key) == device.digest, "a digest differs from its tokens")
        }
        return Committed(digestRevisions: revisions)
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
            outcomes[id] = row.outcome
        }
    }

    private func append(_ row: EntryRow) {
        let log = entries[row.user] ?? []
        check(row.entry.seq == Int64(log.count) + 1, "a gap in the mailbox at \(row.entry.seq)")
        if case .message(let message, _, _) = row.entry.change {
            let repeats = log.contains {
                if case .message(let other, _, _) = $0.change { other.id == message.id } else { false }
            }
            check(!repeats, "a message is materialised twice")
        }
        entries[row.user, default: []].append(row.entry)
    }

    private func move(_ row: CursorRow) {
        guard let device = devices[row.device] else { return check(false, "a cursor without a device") }
        check(row.appliedSeq >= device.row.appliedSeq, "a cursor moves backwards")
        devices[row.device]?.row = DeviceRow(
            key: row.device, user: device.row.user, device: device.row.device, appliedSeq: row.appliedSeq,
            knownSinceSeq: device.row.knownSinceSeq, profile: device.row.profile)
    }

    private func name(_ row: MessageRow) -> MessageName {
        MessageName(tenant: row.tenant, message: row.message.id)
    }

    func check(_ holds: Bool, _ what: @autoclosure () -> String) {
        if !holds { violations.append(what()) }
    }

    /// The same for one conversation: messages above its last marker.
    func unread(
        of user: UserKey, in conversation: ConversationID, through seq: MailboxSeq
    ) -> (unread: Int64, readSeq: MailboxSeq) {
        let log = (entries[user] ?? []).filter {
            $0.seq <= seq && $0.fact.change.conversation == conversation
        }
        var marker: MailboxSeq = 0
        for case .read(_, let through, _) in log.map(\.change) { marker = max(marker, through) }
        let unread = log.count {
            guard case .message(_, _, let countsUnread) = $0.change else { return false }
            return countsUnread && $0.seq > marker
        }
        return (Int64(unread), marker)
    }

    /// Whether the last word of the log about a conversation is that it is muted.
    func isMuted(_ conversation: ConversationID, of user: UserKey, through seq: MailboxSeq) -> Bool {
        for entry in (entries[user] ?? []).reversed() where entry.seq <= seq {
            if case .settings(conversation, let isMuted, _) = entry.change { return isMuted }
        }
        return false
    }

    /// What the log says, counted anew by other means than the fold: the messages above each last marker.
    func badge(of user: UserKey, through seq: MailboxSeq = .max) -> BadgeState {
        let log = (entries[user] ?? []).filter { $0.seq <= seq }
        var markers: [ConversationID: MailboxSeq] = [:]
        for entry in log {
            guard case .read(let conversation, let through, _) = entry.change else { continue }
            markers[conversation] = max(through, markers[conversation] ?? 0)
        }
        var (unread, muted) = (0, 0)
        for entry in log {
            guard case .message(let message, _, true) = entry.change,
                entry.seq > markers[message.conversation.id] ?? 0
            else { continue }
            if isMuted(message.conversation.id, of: user, through: seq) { muted += 1 } else { unread += 1 }
        }
        return BadgeState(
            totalUnread: Int64(unread), totalMention: 0, mutedUnread: Int64(muted),
            projectionSeq: log.last?.seq ?? 0)
    }
}

extension Database {
    /// Another process takes a device's tokens away.
    func takeTokens(of key: DeviceKey, shard: Int) {
        devices[key]?.tokens = [:]
        _ = digests.append([key], shard: shard, devices)
    }

    func load(_ request: LoadRequest, shard: Int) -> LoadedBatch {
        var batch = LoadedBatch()
        let asked = request.users.compactMap { keys[$0] } + request.userKeys
        batch.users = asked.compactMap(stored)
        for probe in request.messages {
            guard let message = messages[probe.name] else { continue }
            var recipients: [UserID: MailboxSeq] = [:]
            for user in probe.recipients {
                guard let key = keys[UserName(tenant: probe.name.tenant, user: user)] else { continue }
                recipients[user] = seq(of: message.id, in: key)
            }
            batch.messages[probe.name] = KnownMessage(message: message, recipients: recipients)
        }
        for probe in request.calls {
            let asked = probe.users.map { ($0, keys[UserName(tenant: probe.name.tenant, user: $0)]) }
            batch.calls[probe.name] = calls.known(probe.name, asked)
        }
        if let time = request.wakesDueBy {
            batch.wakes = wakes.filter { $0.value <= time }.keys.sorted()
        }
        for page in request.pages {
            let log = keys[page.user].flatMap { entries[$0] } ?? []
            batch.pages.append(Array(log.dropFirst(Int(page.after)).prefix(page.limit)))
        }
        if let query = request.digests {
            batch.digests = digests.changes(after: query.after, shard: shard).map { revision, key in
                let device = devices[key]
                return FollowedDigest(
                    revision: revision, key: key, user: device?.row.user ?? UserKey(0),
                    device: device.map { stored($0) })
            }
        }
        return batch
    }

    private func seq(of message: MessageID, in user: UserKey) -> MailboxSeq? {
        entries[user]?.first {
            if case .message(let other, _, _) = $0.change { other.id == message } else { false }
        }?.seq
    }

    private func stored(_ key: UserKey) -> StoredUser? {
        guard let user = users[key] else { return nil }
        let checkpoint = checkpoints[key]
        let through = checkpoint?.throughSeq ?? 0
        let own = devices.values.filter { $0.row.user == key }.sorted { $0.row.key < $1.row.key }
        return StoredUser(
            key: key, name: user.name, mailboxID: user.mailboxID, checkpoint: checkpoint?.projection ?? [],
            checkpointSeq: through, tail: (entries[key] ?? []).filter { $0.seq > through }.map(\.fact),
            devices: own.map { stored($0) }, tasks: openTasks(of: key), record: record(of: key),
            settings: settings[key] ?? UserSettings(), calls: calls.ringing(at: key))
    }

    private func record(of user: UserKey) -> StoredRecord? {
        records[user].map { row in
            let messages = row.shownSeqs.compactMap { seq -> (MailboxSeq, Message)? in
                guard case .message(let message, _, _)? = entries[user]?[Int(seq) - 1].change else {
                    return nil
                }
                return (seq, message.withoutPayload)
            }
            return StoredRecord(
                record: row.record, isOwed: row.isOwed,
                messages: Dictionary(messages) { first, _ in first })
        }
    }

    private func stored(_ device: Device) -> StoredDevice {
        StoredDevice(
            key: device.row.key, device: device.row.device, appliedSeq: device.row.appliedSeq,
            knownSinceSeq: device.row.knownSinceSeq, profile: device.row.profile,
            digest: digests.tokens(of: device.row.key).sorted { $0.key < $1.key },
            tokens: Array(device.tokens.values), voIPCount: calls.counts[device.row.key])
    }

    private func openTasks(of user: UserKey) -> [StoredTask] {
        tasks.values.filter { $0.user == user }.sorted { ($0.seq, $0.key.raw) < ($1.seq, $1.key.raw) }
            .compactMap { row in
                guard case .message(let message, _, _)? = entries[user]?[Int(row.seq) - 1].change else {
                    return nil
                }
                return StoredTask(
                    key: row.key, device: row.device, message: message, mention: row.mention, seq: row.seq,
                    materialisedAt: row.materialisedAt, state: row.state, dueAt: row.dueAt,
                    attempts: attempts[TaskID(user: user, device: row.device, seq: row.seq)] ?? 0)
            }
    }
}
