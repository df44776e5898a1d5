import Domain

/// One event, decided: no policy here, `User` decides; this finds the user, asks, and records the actions.
extension ShardRunner {
    func apply(
        _ event: ShardEvent, _ loaded: LoadedBatch, page: inout Int, at now: Moment, _ batch: inout ShardBatch
    ) {
        switch event {
        case .ingest(let part): ingest(part, loaded, at: now, &batch)
        case .read(let name, let target, let device, let reply):
            read(name, target, by: device, reply, loaded, at: now, &batch)
        case .configure(let name, let conversation, let isMuted, let until, let reply):
            configure(name, conversation, isMuted, until, reply, at: now, &batch)
        case .recall(let name, _, let made, let reply):
            recall(name, made, reply, loaded, at: now, &batch)
        case .configureUser(let name, let change, let reply):
            configure(name, change, reply, at: now, &batch)
        case .look(let name, let look): answer(name, look, at: now, &batch)
        case .page(let request, let reply):
            mailboxPage(request, loaded.pages[page], reply, at: now, &batch)
            page += 1
        case .register(let name, let device, let registration, let reply):
            register(name, device, registration, reply, at: now, &batch)
        case .loseTokens(let name, let device, let lookups, let reply):
            loseTokens(name, device, lookups, reply, at: now, &batch)
        case .tokensShared(let name, let device, let lookups): tokensShared(name, device, lookups)
        case .signOut(let name, let device, let kind, let reply):
            if let cached = user(name, at: now, &batch) {
                let actions = cached.user.signedOut(device, kind, at: now, keys: &keys)
                record(actions, of: cached, at: now, &batch)
            }
            batch.effects.append(.reply { reply(.success(())) })
        case .applied(let name, let device, let seq, let reply):
            applied(name, device, seq, reply, at: now, &batch)
        case .byDevice(let name, let caller, let call):
            if isTaken(caller, of: name, at: now, &batch) {
                return apply(call, loaded, page: &page, at: now, &batch)
            }
            if case .page = call { page += 1 }
            batch.effects.append(.reply { call.refuse(.credentialRevoked) })
        case .connected(let link, let resume): connected(link, resume, at: now, &batch)
        case .pull(let name, let connection, _, _):
            pulled(name, connection, loaded.pages[page], loaded, at: now, &batch)
            page += 1
        case .pushed(let name, let connection, let seq): pushed(name, connection, seq, at: now, &batch)
        case .linkApplied(let name, let connection, let seq):
            linkApplied(name, connection, seq, at: now, &batch)
        case .linkRead(let name, let connection, let conversation, let seq):
            linkRead(name, connection, conversation, seq, at: now, &batch)
        case .closed(let name, let connection, let cause, let silentFor):
            closed(name, connection, cause, silentFor: silentFor, at: now, &batch)
        case .reported(let reports): for report in reports { reported(report, at: now, &batch) }
        case .windowChanged(let channel, let window, let reason):
            channels.setWindow(channel, window, reason: reason)
        case .timePassed(let names): timePassed(names, at: now, &batch)
        case .readBack: break  // Loading was all.
        case .pollWakes: if !loaded.wakes.isEmpty { submit(.wakeUsers(loaded.wakes)) }
        case .wakeUsers(let keys): wake(Set(keys), of: loaded, &batch)
        case .policyChanged(let tenant): policyChanged(tenant, at: now, &batch)
        case .tenantRemoved(let tenant): tenantRemoved(tenant, &batch)
        case .followDigests: break  // Followed before all events of the batch.
        case .audit(let tasks, let reply): audit(tasks, reply, at: now, &batch)
        case .call(let event): apply(event, loaded, at: now, &batch)
        }
    }

    private func isTaken(
        _ caller: DeviceCaller, of name: UserName, at now: Moment, _ batch: inout ShardBatch
    ) -> Bool {
        user(name, at: now, &batch)?.user
            .accepts(credentialIssuedAt: caller.credentialIssuedAt, of: caller.device) ?? true
    }

    private func ingest(
        _ part: IngestPart, _ loaded: LoadedBatch, at now: Moment, _ batch: inout ShardBatch
    ) {
        let name = MessageName(tenant: part.tenant, message: part.message.id)
        let known = loaded.messages[name]
        let message = known?.message ?? part.message
        guard message === part.message || message.isSame(as: part.message) else {
            return batch.effects.append(
                .reply { part.call.settle(part.index, new: 0, tasks: 0, refusal: .conflict) })
        }
        if loaded.recalled.contains(name) {
            counters.duplicates += 1
            return batch.effects.append(.settle(part.call, index: part.index, new: 0, tasks: 0))
        }
        var new = 0
        let tasksBefore = batch.changes.tasksMade.count
        for recipient in part.recipients where known?.recipients[recipient.user] == nil {
            let name = UserName(tenant: part.tenant, user: recipient.user)
            guard let cached = user(name, at: now, &batch) else { continue }
            let key = ShardBatch.MaterialisedKey(user: cached.key, message: message.key)
            guard batch.materialised.insert(key).inserted else { continue }
            let actions = cached.user.messageArrived(message, recipient.mention, at: now, keys: &keys)
            record(actions, of: cached, at: now, &batch)
            new += 1
        }
        if new == 0 { counters.duplicates += 1 }
        if new > 0 && known == nil {
            batch.changes.messages.append(MessageRow(tenant: part.tenant, message: message))
        }
        let tasks = batch.changes.tasksMade.count - tasksBefore
        batch.effects.append(.settle(part.call, index: part.index, new: new, tasks: tasks))
    }

    private func read(
        _ name: UserName, _ target: ReadTarget, by device: DeviceID?, _ reply: @escaping Reply<BadgeState>,
        _ loaded: LoadedBatch, at now: Moment, _ batch: inout ShardBatch
    ) {
        guard let cached = user(name, at: now, &batch) else {
            return batch.effects.append(.reply { reply(.failure(.failed("no such tenant"))) })
        }
        var result: Result<[UserAction], UserRefusal> = .success([])
        switch target {
        case .all: result = .success(cached.user.readAll(by: device, at: now))
        case .leaving(let conversation):
            result = .success(cached.user.left(conversation, at: now))
        case .conversation(let conversation, let seq):
            result = cached.user.read(conversation, through: seq, by: device, at: now)
        case .message(let conversation, let message):
            let known = loaded.messages[MessageName(tenant: name.tenant, message: message)]
            guard let seq = known?.recipients[name.user], known?.message.conversation.id == conversation
            else {
                return batch.effects.append(.reply { reply(.failure(.noSuchMessage)) })
            }
            result = cached.user.read(conversation, through: seq, by: device, at: now)
        }
        switch result {
        case .success(let actions):
            record(actions, of: cached, at: now, &batch)
            let badge = cached.user.badge
            batch.effects.append(.reply { reply(.success(badge)) })
        case .failure(let refusal):
            batch.effects.append(.reply { reply(.failure(Refusal(refusal))) })
        }
    }

    private func applied(
        _ name: UserName, _ device: DeviceID, _ seq: MailboxSeq, _ reply: @escaping Reply<Void>,
        at now: Moment, _ batch: inout ShardBatch
    ) {
        guard let cached = user(name, at: now, &batch) else {
            return batch.effects.append(.reply { reply(.failure(.failed("no such tenant"))) })
        }
        switch cached.user.applied(device, through: seq, isByApp: false, at: now, keys: &keys) {
        case .success(let actions):
            record(actions, of: cached, at: now, &batch)
            batch.effects.append(.reply { reply(.success(())) })
        case .failure(let refusal):
            batch.effects.append(.reply { reply(.failure(Refusal(refusal))) })
        }
    }

    private func mailboxPage(
        _ request: PageRequest, _ entries: [MailboxEntry], _ reply: @escaping Reply<MailboxPage>,
        at now: Moment, _ batch: inout ShardBatch
    ) {
        guard let cached = user(request.user, at: now, &batch) else {
            return batch.effects.append(.reply { reply(.failure(.failed("no such tenant"))) })
        }
        let (head, first) = (cached.user.head, cached.user.firstSeq)
        guard request.after <= head else {
            return batch.effects.append(.reply { reply(.failure(.seqBeyondHead)) })
        }
        let page = MailboxPage(
            mailboxID: cached.user.mailboxID, entries: entries, mailboxSeq: head, firstSeq: first,
            hasMore: (entries.last?.seq ?? request.after) < head,
            isTruncated: request.after + 1 < first, badge: cached.user.badge)
        batch.effects.append(.reply { reply(.success(page)) })
    }

    private func timePassed(_ names: [UserName], at now: Moment, _ batch: inout ShardBatch) {
        for name in names {
            guard let cached = users[name] else { continue }
            cached.wakesAt = nil
            record(cached.user.timePassed(to: now), of: cached, at: now, &batch)
        }
    }

    /// They are in memory now, and their own timers do the rest; a row that was not true any more is mended,
    /// so that it stands in nobody's way. More may be due than one question names.
    private func wake(_ keys: Set<UserKey>, of loaded: LoadedBatch, _ batch: inout ShardBatch) {
        var mended = 0
        for stored in loaded.users where keys.contains(stored.key) {
            guard let cached = users[stored.name] else { continue }
            batch.put(WakeRow(user: cached.user.key, at: cached.user.conversations.nextMuteEnd))
            mended += 1
        }
        if mended == LoadRequest.wakesLimit { submit(.pollWakes) }
    }

    /// Its rows are gone: nothing of it is decided any more, and its devices are told to go for good.
    private func tenantRemoved(_ tenant: TenantKey, _ batch: inout ShardBatch) {
        for cached in users.values where cached.name.tenant == tenant { drop(cached) }
        for (connection, record) in links where record.link.user.tenant == tenant {
            batch.effects.append(.close(connection, .signedOut))
        }
    }
}

extension Refusal {
    init(_ refusal: UserRefusal) {
        switch refusal {
        case .seqBeyondHead: self = .seqBeyondHead
        }
    }
}

extension Message {
    /// Whether another message of its id is a repeat, and no conflict.
    func isSame(as other: Message) -> Bool {
        conversation.id == other.conversation.id && sender.user == other.sender.user
    }
}
