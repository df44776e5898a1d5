import Domain

/// The channels' turn, and the providers' answers.
extension ShardRunner {
    /// Builds what the channels have room for, of this moment, and hands it over in one array.
    ///
    /// Runs only between batches: what is built reflects committed entries alone.
    func sendWhatIsDue() {
        guard !isDraining else { return }
        let now = scheduler.now()
        var requests: [PushRequest] = []
        requests.reserveCapacity(channels.turns)
        sendCalls(&requests, at: now)
        // What must go first does so on every channel, before anything else may take a user's last unit.
        for priority in PushPriority.allCases {
            for place in channels.waiting(priority) {
                guard let tenant = tenants[channels.ids[place].tenant], !tenant.isPaused else { continue }
                while let ticket = channels.next(at: place, priority) {
                    if let request = build(ticket, priority, place, tenant, at: now) {
                        requests.append(request)
                    } else {
                        channels.landed(at: place)
                    }
                }
            }
        }
        guard !requests.isEmpty else { return }
        counters.pushesBuilt += UInt64(requests.count)
        sender.send(requests)
    }

    /// - Parameter turn: the place of the channel whose turn it is.
    private func build(
        _ ticket: ChannelQueues.Ticket, _ priority: PushPriority, _ turn: Int, _ tenant: Tenant,
        at now: Moment
    ) -> PushRequest? {
        guard let cached = current(ticket.cached) else { return nil }
        let channel = channels.ids[turn]
        let request = nextRequest + 1
        nextRequest = request
        let place = QueuePlace(
            transport: channel.transport, environment: channel.environment, priority: priority)
        let built = cached.user.build(ticket.device, request: request, from: place, at: now)
        // What was judged away is recorded with the next batch; its rows are there until then.
        if !built.actions.isEmpty { record(built.actions, of: cached, at: now, &carried) }
        guard let draft = built.draft else { return nil }
        guard let token = cached.tokens[draft.token.key] else {
            dropUnsendable(draft, request, cached, ticket.device, at: now)
            return nil
        }
        let flightChannel = ChannelID(
            tenant: channel.tenant, transport: draft.token.transport, environment: draft.token.environment)
        guard flightChannel == channel else {
            // The token changed its transport while the device waited here.
            let fault = ProviderAnswer(status: 0, reason: "channel_changed")
            let again = cached.user.answered(
                ticket.device, request: request, .channelFault, fault, jitter: 0, at: now)
            record(again, of: cached, at: now, &carried)
            return nil
        }
        let flight = Flight(cached, ticket.device, turn, token: draft.token.key, request: built.flight)
        flights.insert(flight, request)
        return PushRequest(
            id: RequestID(shard: number, number: request), channel: channel, tenant: cached.tenantName,
            user: cached.name.user, draft: draft, token: token, fcmForm: tenant.policy.fcmForm)
    }

    /// The digest log names a token whose row is nowhere: nothing can be sent to it, now or later.
    private func dropUnsendable(
        _ draft: PushDraft, _ request: UInt64, _ cached: CachedUser, _ device: DeviceKey, at now: Moment
    ) {
        let lost = cached.user.lostTokens(draft.device, [draft.token.key], at: now)
        record(lost, of: cached, at: now, &carried)
        let fault = ProviderAnswer(status: 0, reason: "token_missing")
        let settled = cached.user.answered(
            device, request: request, .channelFault, fault, jitter: 0, at: now)
        record(settled, of: cached, at: now, &carried)
    }

    func reported(_ report: PushReport, at now: Moment, _ batch: inout ShardBatch) {
        guard let flight = flights[report.request.number] else { return }
        batch.landed.append(report.request.number)
        guard let cached = user(of: flight) else { return }
        let jitter = Double(scheduler.random() >> 11) / Double(UInt64(1) << 53)
        let (device, request) = (flight.device, report.request.number)
        let actions =
            flight.call == nil
            ? cached.user.answered(
                device, request: request, report.verdict, report.answer, jitter: jitter, at: now)
            : cached.user.callReported(
                device, request: request, report.verdict, report.answer, jitter: jitter, at: now)
        record(actions, of: cached, at: now, &batch)
    }

    // MARK: - Looking

    func answer(_ name: UserName, _ look: ShardEvent.Look, at now: Moment, _ batch: inout ShardBatch) {
        guard let cached = user(name, at: now, &batch) else {
            return batch.effects.append(
                .reply { ShardEvent.look(name, look).refuse(.failed("no such tenant")) })
        }
        switch look {
        case .permission(let reply): batch.effects.append(.reply { reply(.success(())) })
        case .badge(let reply):
            let badge = cached.user.badge
            batch.effects.append(.reply { reply(.success(badge)) })
        case .devices(let reply):
            let devices = cached.user.devices.filter { !$0.profile.isSignedOut }.map(DeviceStatus.init)
            batch.effects.append(.reply { reply(.success(devices)) })
        case .conversations(let after, let limit, let reply):
            let conversations = cached.user.conversations
            let page = conversations.all.keys.filter { id in after.map { $0 < id } ?? true }
                .sorted().prefix(limit)
            let statuses = page.map { ConversationStatus(id: $0, conversation: conversations[$0]) }
            batch.effects.append(.reply { reply(.success(statuses)) })
        case .tasks(let message, let reply):
            let tasks = cached.user.devices.flatMap { $0.liveTasks(of: message) }
            batch.effects.append(.reply { reply(.success(tasks)) })
        }
    }

    func status(at now: Moment) -> ShardStatus {
        var status = ShardStatus()
        status.shard = number
        status.isOpen = phase != .stopped && phase != .opening
        status.usersCached = users.count
        status.connections = links.count
        status.inboxDepth = inbox.depth
        status.readBackRemaining = toReadBack.count
        status.epoch = keys.epoch
        status.counters = counters
        status.channels = channels.statuses
        status.ending = tasksEnding
        for cached in users.values {
            for device in cached.user.devices { status.count(device, at: now) }
            status.callsRinging += cached.user.calls.ringingCount
        }
        return status
    }
}

extension ShardStatus {
    fileprivate mutating func count(_ device: Device, at now: Moment) {
        if let presence = device.presence {
            if !presence.isLive { catchingUp += 1 }
            pushedNotApplied += max(0, presence.pushedSeq - device.appliedSeq)
        }
        held += device.holds.count
        for group in device.groups {
            switch group.state {
            case .merging: merging += group.tasks.count
            case .ready: ready += group.tasks.count
            case .inFlight: inFlight += group.tasks.count
            case .retrying: retrying += group.tasks.count
            }
            guard let oldest = group.tasks.first else { continue }
            oldestDueMilliseconds = max(oldestDueMilliseconds, now.wall - oldest.materialisedAt)
        }
    }
}

extension Device {
    func liveTasks(of message: MessageID?) -> [LiveTask] {
        let held = holds.map { ($0.task, "held", 0) }
        let due = groups.flatMap { group in group.tasks.map { ($0, group.state.word, group.attempts) } }
        return (held + due).filter { message == nil || $0.0.message.id == message }.map {
            LiveTask(
                device: id, message: $0.0.message.id, seq: $0.0.seq, state: $0.1, attempts: $0.2,
                steps: $0.0.trace)
        }
    }
}
