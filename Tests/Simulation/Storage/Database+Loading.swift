import Domain

@testable import Engine

/// What the server reads back.
extension Database {
    func load(_ request: LoadRequest, shard: Int) -> LoadedBatch {
        var batch = LoadedBatch()
        let asked = request.users.compactMap { keys[$0] } + request.userKeys
        batch.users = asked.compactMap { stored($0, withDuties: !request.dutiesAreInMemory) }
        for probe in request.messages {
            if tombstones[probe.name] != nil { batch.recalled.insert(probe.name) }
            guard let message = messages[probe.name] else { continue }
            var recipients: [UserID: MailboxSeq] = [:]
            for user in probe.recipients {
                guard let key = keys[UserName(tenant: probe.name.tenant, user: user)] else { continue }
                recipients[user] = ledgers[key]?.seq(of: message.id)
            }
            batch.messages[probe.name] = KnownMessage(message: message, recipients: recipients)
        }
        for name in request.recalls { batch.recallTargets[name] = recallTargets(of: name, shard: shard) }
        if let time = request.wakesDueBy {
            batch.wakes = wakes.filter { $0.value <= time }.keys.sorted()
        }
        for page in request.pages {
            let log = keys[page.user].flatMap { entries[$0] } ?? []
            batch.pages.append(Array(log.dropFirst(Int(page.after)).prefix(page.limit)))
        }
        for probe in request.calls {
            let asked = probe.users.map { ($0, keys[UserName(tenant: probe.name.tenant, user: $0)]) }
            batch.calls[probe.name] = calls.known(probe.name, asked)
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

    private func stored(_ key: UserKey, withDuties: Bool) -> StoredUser? {
        guard let user = users[key] else { return nil }
        let checkpoint = checkpoints[key]
        let through = checkpoint?.throughSeq ?? 0
        let own = devices.values.filter { $0.row.user == key }.sorted { $0.row.key < $1.row.key }
        return StoredUser(
            key: key, name: user.name, mailboxID: user.mailboxID, checkpoint: checkpoint?.projection ?? [],
            checkpointSeq: through, tail: (entries[key] ?? []).dropFirst(Int(through)).map(\.fact),
            devices: own.map { stored($0) }, tasks: withDuties ? openTasks(of: key) : [],
            record: record(of: key),
            settings: settings[key] ?? UserSettings(), calls: withDuties ? calls.ringing(at: key) : [])
    }

    private func record(of user: UserKey) -> StoredRecord? {
        records[user].map { row in
            var messages: [MailboxSeq: Message] = [:]
            for seq in PushRecord(decoding: row.record, messages: [:])?.shownSeqs ?? [] {
                let id = TaskID(user: user, device: DeviceKey(0), seq: seq)
                messages[seq] = message(of: id)?.message.withoutPayload
            }
            return StoredRecord(record: row.record, isOwed: row.isOwed, messages: messages)
        }
    }

    /// The mailboxes that have a message and not its recall.
    private func recallTargets(of name: MessageName, shard: Int) -> [RecallTarget] {
        guard let message = messages[name] else { return [] }
        return users.values.sorted { $0.key < $1.key }.compactMap { user in
            guard user.name.tenant == name.tenant, let ledger = ledgers[user.key],
                ShardMap.shard(of: user.name, count: World.shards) == shard,
                let seq = ledger.seq(of: name.message), !ledger.isRecalled(seq)
            else { return nil }
            return RecallTarget(user: user.name, seq: seq, conversation: message.conversation.id)
        }
    }

    private func stored(_ device: Device) -> StoredDevice {
        StoredDevice(
            key: device.row.key, device: device.row.device, appliedSeq: device.row.appliedSeq,
            knownSinceSeq: device.row.knownSinceSeq, profile: device.row.profile,
            digest: digests.tokens(of: device.row.key).sorted { $0.key < $1.key },
            tokens: Array(device.tokens.values), voIPCount: calls.counts[device.row.key])
    }

    private func openTasks(of key: UserKey) -> [StoredTask] {
        tasks.values.filter { $0.user == key }.sorted { ($0.seq, $0.key.raw) < ($1.seq, $1.key.raw) }
            .compactMap { row in
                let id = TaskID(user: key, device: row.device, seq: row.seq)
                guard let message = message(of: id)?.message else { return nil }
                return StoredTask(
                    key: row.key, device: row.device, message: message, mention: row.mention, seq: row.seq,
                    materialisedAt: row.materialisedAt, state: row.state, dueAt: row.dueAt,
                    attempts: attempts[id] ?? 0, isRecalled: ledgers[key]?.isRecalled(row.seq) ?? false)
            }
    }
}
