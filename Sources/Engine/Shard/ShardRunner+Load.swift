import Domain

/// What a batch needs from the store, and how it becomes live state.
extension ShardRunner {
    func needs(of events: [ShardEvent]) -> LoadRequest {
        var request = LoadRequest()
        // Who has a duty is read back first of all, and leaves the memory only without one.
        request.dutiesAreInMemory = toReadBack.isEmpty && !leftOutAtReadBack
        var asked: Set<UserName> = []
        // Several parts and repeats of one message ask one question.
        var probes = [MessageName: [UserID]](minimumCapacity: events.count)
        var calls: [CallName: [UserID]] = [:]
        func need(_ name: UserName) {
            if let cached = users[name] {
                guard cached.mayShareTokens, asked.insert(name).inserted else { return }
                let shared = cached.user.devices.flatMap(\.sharedTokens)
                request.sharing.append(LoadRequest.Sharing(user: name, tokens: shared))
            } else if asked.insert(name).inserted {
                request.users.append(name)
            }
        }
        for var event in events {
            if case .byDevice(let name, _, let call) = event {
                need(name)
                event = call
            }
            switch event {
            case .ingest(let part):
                for recipient in part.recipients {
                    need(UserName(tenant: part.tenant, user: recipient.user))
                }
                let message = MessageName(tenant: part.tenant, message: part.message.id)
                probes[message, default: []].append(part.recipients)
            case .read(let name, .message(_, let message), _, _):
                need(name)
                probes[MessageName(tenant: name.tenant, message: message), default: []].append(name.user)
            case .read(let name, _, _, _), .configure(let name, _, _, _, _), .configureUser(let name, _, _),
                .look(let name, _),
                .register(let name, _, _, _),
                .loseTokens(let name, _, _, _), .signOut(let name, _, _, _), .applied(let name, _, _, _),
                .pushed(let name, _, _), .linkApplied(let name, _, _), .linkRead(let name, _, _, _),
                .closed(let name, _, _, _):
                need(name)
            case .recall(let name, let loading, _, _):
                loading.forEach(need)
                request.recalls.append(name)
            case .connected(let link, _): need(link.user)
            case .page(let page, _):
                need(page.user)
                request.pages.append(page)
            case .pull(let name, let connection, let after, let limit):
                need(name)
                for call in missedEnds(name, connection) { calls[call, default: []].append(name.user) }
                request.pages.append(PageRequest(user: name, after: after, limit: limit))
            case .reported(let reports):
                for report in reports {
                    guard let cached = flights[report.request.number]?.cached else { continue }
                    // Of a user who is there, and shares nothing, there is nothing to ask.
                    if cached.hasLeft || cached.mayShareTokens { need(cached.name) }
                }
            case .timePassed(let names): names.forEach(need)
            case .readBack(let keys):
                request.userKeys += keys
                request.dutiesAreInMemory = false
            case .wakeUsers(let keys): request.userKeys += keys
            case .pollWakes: request.wakesDueBy = scheduler.now().wall
            case .call(let event):
                event.needs(need) { calls[$0, default: []] += $1 }
            case .followDigests: request.digests = digestPlace.value.map { DigestQuery(after: $0) }
            case .audit: request.settles = true
            case .byDevice, .tokensShared, .windowChanged, .policyChanged, .tenantRemoved:
                break
            }
        }
        request.calls = calls.map { CallProbe(name: $0.key, users: $0.value) }
        request.messages = probes.map { MessageProbe(name: $0.key, recipients: $0.value) }
        return request
    }

    /// Users as the store has them, their open tasks recovered, their live connections attached again.
    func adopt(_ stored: [StoredUser], at now: Moment, _ batch: inout ShardBatch) {
        // Requests that outlived their user's state: seldom any, and looked for once, not for each user.
        let adrift = stored.isEmpty ? [:] : flights.filter { user(of: $0) == nil }
        for stored in stored where users[stored.name] == nil {
            guard let tenant = tenants[stored.name.tenant] else {
                leftOutAtReadBack = true
                continue
            }
            let cached = CachedUser(stored, tenant: tenant, zones: zones, at: now)
            users[stored.name] = cached
            let attached = attach(cached, &batch)
            // A commit whose outcome was unknown may have moved the number, and told nobody.
            if !attached.isEmpty { batch.effects.append(.showBadge(cached.name)) }
            let flying = adrift.isEmpty ? [:] : adrift.filter { $0.value.cached.name == stored.name }
            let tasks = recovered(stored, attached: attached, flying.values, at: now)
            for flight in flying.values {
                if let request = flight.request { cached.user.fliesOn(request, to: flight.device) }
            }
            record(cached.user.recovered(tasks, at: now), of: cached, at: now, &batch)
            let legs = recoveredLegs(stored, attached: attached, flying, at: now)
            let ringing = flying.filter { $0.value.call != nil }.mapValues(\.device)
            record(cached.user.recoveredCalls(legs, flying: ringing, at: now), of: cached, at: now, &batch)
            record(cached.user.resumed(at: now), of: cached, at: now, &batch)
        }
    }

    /// Whom other accounts have left alone with a token learns it before anything is decided.
    func settleSharing(_ asked: [LoadRequest.Sharing], _ shared: Set<TokenKey>) {
        for question in asked {
            guard let cached = users[question.user] else { continue }
            cached.user.sharingEnded(except: shared)
            cached.mayShareTokens = !shared.isDisjoint(with: question.tokens)
        }
    }

    /// The newest connection of each device; one that it replaced in a transaction that failed is told now.
    private func attach(_ cached: CachedUser, _ batch: inout ShardBatch) -> [DeviceKey: LinkRecord] {
        var attached: [DeviceKey: LinkRecord] = [:]
        let connections = (linksOfUser[cached.name] ?? []).sorted()
        for connection in connections {
            guard let record = links[connection], let device = cached.user.device(record.link.device) else {
                continue
            }
            let presence = Presence(
                connection: connection, connectedAt: record.connectedAt, replayAfter: record.replayAfter,
                isLive: false)
            if let older = device.presence { batch.effects.append(.close(older.connection, .replaced)) }
            cached.user.reattached(device.id, presence, through: record.pushedSeq)
            attached[device.key] = record
        }
        return attached
    }

    private func recovered(
        _ stored: StoredUser, attached: [DeviceKey: LinkRecord], _ flying: some Collection<Flight>,
        at now: Moment
    ) -> [User.RecoveredTask] {
        if stored.tasks.isEmpty { return [] }
        let flying = requests(flying)
        let policy = tenants[stored.name.tenant]?.policy ?? Policy()
        return stored.tasks.compactMap { task in
            let attempt = flying[FlyingTask(device: task.device, seq: task.seq)]
            let state = state(of: task, policy, link: attached[task.device], at: now)
            guard let state = attempt.map({ .inFlight($0) }) ?? state else { return nil }
            return User.RecoveredTask(
                device: task.device,
                task: PushTask(
                    key: task.key, message: task.message, mention: task.mention, seq: task.seq,
                    materialisedAt: task.materialisedAt, largeGroupMembers: policy.largeGroupMembers,
                    trace: [
                        TraceStep(at: task.materialisedAt, event: .materialised(seq: task.seq))
                    ]),
                attempts: task.attempts, state: state, isRecalled: task.isRecalled)
        }
    }

    private struct FlyingTask: Hashable {
        let device: DeviceKey
        let seq: MailboxSeq
    }

    private func requests(_ flying: some Collection<Flight>) -> [FlyingTask: RequestInFlight] {
        var requests: [FlyingTask: RequestInFlight] = [:]
        for flight in flying {
            for seq in flight.seqs {
                requests[FlyingTask(device: flight.device, seq: seq)] = flight.request
            }
        }
        return requests
    }

    private func state(
        of task: StoredTask, _ policy: Policy, link: LinkRecord?, at now: Moment
    ) -> User.RecoveredTask.State? {
        let until = now.instant + max(0, task.dueAt - now.wall)
        switch task.state {
        case .due: return .due
        case .retrying: return .retrying(at: until)
        case .held:
            guard link != nil || readBackDrained else {
                // A crash is a close.
                return policy.disabledRules.contains(.closeReleasesHolds) ? nil : .due
            }
            let hold = hold(of: task, until: until, policy, link, at: now)
            guard case .held(let until, let isExtended)? = hold else { return .due }
            // Word of a write may wait in the inbox, and comes before the time is looked at.
            if link != nil && !isExtended { return hold }
            // What had fallen due before waits for no second merge window.
            return until > now.instant ? hold : .due
        }
    }

    /// Until when a held task is still held; nil: it no longer is.
    private func hold(
        of task: StoredTask, until: Instant, _ policy: Policy, _ link: LinkRecord?, at now: Moment
    ) -> User.RecoveredTask.State? {
        // A drain wrote it down with the deadline of its first write: later writes must not move it.
        let isExtended = task.dueAt - task.materialisedAt > policy.pushGraceWindow
        guard let link, !isExtended else { return .held(until: until, isExtended: isExtended) }
        // No hold lasts longer than both windows: this one had run out.
        let longest = policy.pushGraceWindow + policy.pushConfirmExtendedWindow
        guard now.wall - task.materialisedAt < longest else { return nil }
        guard let written = link.firstWrites.first(where: { $0.through >= task.seq }) else {
            return .held(until: until, isExtended: false)
        }
        return .held(until: written.at + policy.pushConfirmExtendedWindow, isExtended: true)
    }

    /// The user of an event; one that has never been seen begins here, with an empty mailbox.
    func user(_ name: UserName, at now: Moment, _ batch: inout ShardBatch) -> CachedUser? {
        if let cached = users[name] {
            cached.lastUsed = now.instant
            return cached
        }
        guard let tenant = tenants[name.tenant] else { return nil }
        let high = scheduler.random()
        let low = scheduler.random()
        let bytes = (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> (UInt64($0 & 7) * 8)) }
        let user = User(
            key: keys.allot(), id: name.user, mailboxID: MailboxID(bytes: bytes),
            policy: tenant.sharedPolicy, tenantZone: zone(of: tenant))
        let cached = CachedUser(
            name: name, tenantName: tenant.name, user: user, tokens: SealedTokens(), lastUsed: now.instant)
        users[name] = cached
        batch.changes.newUsers.append(
            UserRow(key: cached.user.key, name: name, mailboxID: cached.user.mailboxID))
        return cached
    }
}

extension [UserID] {
    fileprivate mutating func append(_ recipients: [IngestPart.Recipient]) {
        reserveCapacity(count + recipients.count)
        for recipient in recipients { append(recipient.user) }
    }
}
