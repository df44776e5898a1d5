import Domain

/// Actions into rows and effects: the one switch.
extension ShardRunner {
    func record(
        _ actions: [UserAction], of cached: CachedUser, at now: Moment, _ batch: inout ShardBatch
    ) {
        for action in actions { record(action, of: cached, at: now, &batch) }
    }

    private func record(
        _ action: UserAction, of cached: CachedUser, at now: Moment, _ batch: inout ShardBatch
    ) {
        let user = cached.key
        switch action {
        case .append(let entry): batch.changes.entries.append(EntryRow(user: user, entry: entry))
        case .makeTask(let device, let task, let state, let dueIn):
            batch.changes.tasksMade.append(
                TaskRow(
                    key: task.key, user: user, device: device, message: task.message.key,
                    mention: task.mention, seq: task.seq, state: state, materialisedAt: task.materialisedAt,
                    dueAt: now.wall + dueIn))
        case .moveTask(let device, let seq, let state, let dueIn, let attempts):
            let task = TaskReference(user: user, device: device, seq: seq)
            batch.put(TaskMove(task: task, state: state, dueAt: now.wall + dueIn, attempts: attempts))
        case .endTask(let device, let seq, let outcome, let reason, let trace):
            batch.changes.tasksEnded.append(TaskReference(user: user, device: device, seq: seq))
            recordOutcome(user, device, seq, outcome, reason, trace, at: now, &batch)
        case .recordOutcome(let device, let seq, let outcome, let reason, let trace):
            recordOutcome(user, device, seq, outcome, reason, trace, at: now, &batch)
        case .saveDevice(let key): saveDevice(key, of: cached, &batch)
        case .saveCursor(let key):
            guard let device = cached.user.device(key) else { return }
            batch.put(
                CursorRow(device: key, appliedSeq: device.appliedSeq, lastSeen: device.profile.lastSeen))
        case .removeToken(let device, let key):
            cached.tokens[key] = nil
            batch.changes.tokensRemoved.append(key)
            // Of a token that came and went within the batch nothing is written: inserts follow deletes.
            batch.changes.tokensAdded.removeAll { $0.token.digest.key == key }
            batch.changes.digestsChanged[device] = now.wall
        case .saveRecord: batch.putRecord(of: cached)
        case .countSilentPush(let kind, let isSent):
            let key = ShardCounters.SilentKey(kind: kind, isSent: isSent)
            batch.silentPushes[key, default: 0] += 1
        case .saveSettings: batch.put(SettingsRow(user: user, settings: cached.user.settings))
        case .saveWake(let time): batch.put(WakeRow(user: user, at: time))
        case .saveCheckpoint:
            batch.put(
                CheckpointRow(
                    user: user, throughSeq: cached.user.head,
                    projection: cached.user.conversations.encoded()))
        case .deliver(let connection, let entry): batch.effects.append(.deliver(connection, entry))
        case .showBadge: batch.effects.append(.showBadge(cached.name))
        case .showConversation(let id): batch.effects.append(.showConversation(cached.name, id))
        case .welcome(let connection, let after): welcome(connection, after, cached, &batch)
        case .refuse(let connection, _): refuseBeyondHead(connection, cached, nil, &batch)
        case .close(let connection, let reason):
            batch.effects.append(.close(connection, reason == .replaced ? .replaced : .signedOut))
        case .queue(let device, let token, let priority):
            let channel = ChannelID(
                tenant: cached.name.tenant, transport: token.transport, environment: token.environment)
            batch.effects.append(.queue(cached, device, channel, priority))
        case .wake(let instant): wake(cached, at: instant)
        case .call(let action): record(action, of: cached, at: now, &batch)
        }
    }

    private func recordOutcome(
        _ user: UserKey, _ device: DeviceKey, _ seq: MailboxSeq, _ outcome: Outcome, _ reason: OutcomeReason,
        _ trace: [TraceStep], at now: Moment, _ batch: inout ShardBatch
    ) {
        batch.changes.outcomes.append(
            OutcomeRow(
                user: user, device: device, seq: seq, outcome: outcome, reason: reason, endedAt: now.wall,
                trace: TraceEncoding.encode(trace)))
    }

    private func saveDevice(_ key: DeviceKey, of cached: CachedUser, _ batch: inout ShardBatch) {
        guard let device = cached.user.device(key) else { return }
        batch.put(
            DeviceRow(
                key: key, user: cached.user.key, device: device.id, appliedSeq: device.appliedSeq,
                knownSinceSeq: device.knownSinceSeq, profile: device.profile))
    }

    private func welcome(
        _ connection: ConnectionID, _ after: MailboxSeq, _ cached: CachedUser, _ batch: inout ShardBatch
    ) {
        let (head, first) = (cached.user.head, cached.user.firstSeq)
        batch.effects.append(
            .welcome(
                connection,
                Welcome(
                    mailboxID: cached.user.mailboxID, mailboxSeq: head, firstSeq: first,
                    isTruncated: after + 1 < first, badge: cached.user.badge, replayAfter: after,
                    isLive: after == head)))
    }

    /// The shard's timers know a user once, for its earliest deadline.
    private func wake(_ cached: CachedUser, at instant: Instant) {
        if let known = cached.wakesAt, known <= instant { return }
        cached.wakesAt = instant
        timers.add(cached.name, at: instant)
    }

    // MARK: - After the commit

    func performEffects(_ effects: [ShardBatch.Effect]) {
        var deliveries: [ConnectionID: [MailboxEntry]] = [:]
        var changed: [UserName: ChangedUser] = [:]
        for effect in effects {
            switch effect {
            case .reply(let reply): reply()
            case .settle(let call, let index, let new, let tasks):
                call.settle(index, new: new, tasks: tasks)
            case .submit(let event): submit([event])
            case .deliver(let connection, let entry): deliveries[connection, default: []].append(entry)
            case .showBadge(let user): changed[user, default: ChangedUser()].badge = true
            case .showConversation(let user, let id):
                changed[user, default: ChangedUser()].conversations.insert(id)
            case .welcome(let connection, let welcome): links[connection]?.link.sink.welcome(welcome)
            case .page(let connection, let entries, let isLast):
                let new = undelivered(entries, on: connection)
                links[connection]?.link.sink.page(new, isLast: isLast)
            case .refuse(let connection, let code, let detail):
                links[connection]?.link.sink.refuse(code: code, detail: detail)
            case .close(let connection, let reason): closeLink(connection, reason)
            case .queue(let cached, let device, let channel, let priority):
                channels.add(ChannelQueues.Ticket(cached: cached, device: device), to: channel, priority)
            case .call(let effect): perform(effect)
            }
        }
        // A connection's deliveries of a batch follow its welcome and its last page, both of which the
        // state put before them.
        for (connection, entries) in deliveries.sorted(by: { $0.key < $1.key }) {
            let new = undelivered(entries, on: connection)
            if !new.isEmpty { links[connection]?.link.sink.deliver(new) }
        }
        for (name, changed) in changed { show(changed, of: name) }
    }

    /// What of a user a batch has changed, for the eyes of its connected devices.
    private struct ChangedUser {
        var badge = false
        var conversations: Set<ConversationID> = []
    }

    /// The state is that of the batch: nothing has been decided since.
    private func show(_ changed: ChangedUser, of name: UserName) {
        guard let connections = linksOfUser[name], let cached = users[name] else { return }
        let deltas = changed.conversations.map { ConversationDelta($0, cached.user.conversations[$0]) }
        let badge = changed.badge ? cached.user.badge : nil
        for connection in connections {
            links[connection]?.link.sink.show(deltas, badge, at: cached.user.head)
        }
    }

    /// Nothing is given to a connection twice, whatever was asked for twice around a reload.
    private func undelivered(_ entries: [MailboxEntry], on connection: ConnectionID) -> [MailboxEntry] {
        guard let delivered = links[connection]?.deliveredSeq, let last = entries.last?.seq else { return [] }
        guard last > delivered else { return [] }
        links[connection]?.deliveredSeq = last
        return entries.first.map { $0.seq > delivered } == true
            ? entries : entries.filter { $0.seq > delivered }
    }

    private func closeLink(_ connection: ConnectionID, _ reason: LinkClose) {
        guard let record = links.removeValue(forKey: connection) else { return }
        forgetConnection(connection, of: record.link.user)
        record.link.sink.close(reason)
    }
}
