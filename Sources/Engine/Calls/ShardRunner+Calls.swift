import Domain

/// Calls: found, asked, recorded; `User` decides.
extension ShardRunner {
    func apply(_ event: CallEvent, _ loaded: LoadedBatch, at now: Moment, _ batch: inout ShardBatch) {
        switch event {
        case .ring(let part): ring(part, loaded, at: now, &batch)
        case .cancel(let name, let call, let reason, let reply):
            if let cached = users[name] {
                let actions = cached.user.callCancelled(call, reason: reason, at: now)
                record(actions, of: cached, at: now, &batch)
            }
            batch.effects.append(.reply { reply(.success(())) })
        case .look(let name, let call, let reply):
            let status = status(of: call, name, loaded, at: now)
            batch.effects.append(.reply { reply(status.map { .success($0) } ?? .failure(.noSuchCall)) })
        case .applied(let name, let connection, let call):
            guard let link = links[connection], let cached = users[name] else { return }
            let actions = cached.user.callApplied(link.link.device, call, at: now)
            record(actions, of: cached, at: now, &batch)
        case .answered(let name, let connection, let call):
            answered(name, connection, call, loaded, at: now, &batch)
        }
    }

    private func ring(
        _ part: RingPart, _ loaded: LoadedBatch, at now: Moment, _ batch: inout ShardBatch
    ) {
        let known = loaded.calls[CallName(tenant: part.tenant, call: part.call.id)]
        let call = known?.call ?? part.call
        guard call.caller.user == part.call.caller.user else {
            return batch.effects.append(
                .reply { part.gathering.settle(new: 0, devices: 0, refusal: .callConflict) })
        }
        var (new, devices) = (0, 0)
        for callee in part.callees {
            guard let cached = user(UserName(tenant: part.tenant, user: callee), at: now, &batch) else {
                continue
            }
            if let leg = cached.user.calls[call.id] {
                devices += leg.deviceCount
            } else if let leg = known?.legs[callee] {
                devices += leg.devices
            } else if batch.calls.made.insert(.init(user: cached.user.key, call: call.key)).inserted {
                let actions = cached.user.callArrived(call, cancelled: known?.cancelled, at: now)
                record(actions, of: cached, at: now, &batch)
                devices += cached.user.calls[call.id]?.deviceCount ?? 0
                new += 1
            }
        }
        if new > 0 && known == nil { batch.calls.put(CallRow(tenant: part.tenant, call: call)) }
        counters.calls.legs += UInt64(new)
        batch.effects.append(.reply { [new, devices] in part.gathering.settle(new: new, devices: devices) })
    }

    /// Memory is the newest; what has left it is told by its rows.
    private func status(
        of call: CallID, _ name: UserName, _ loaded: LoadedBatch, at now: Moment
    ) -> CallStatus? {
        if let leg = users[name]?.user.calls[call] { return CallStatus(call: leg.call, state: leg.state) }
        let known = loaded.calls[CallName(tenant: name.tenant, call: call)]
        guard let known, let leg = known.legs[name.user] else { return nil }
        let isOver = leg.state == .ringing && known.call.expiresAt <= now.wall
        return CallStatus(call: known.call, state: isOver ? .expired : leg.state)
    }

    private func answered(
        _ name: UserName, _ connection: ConnectionID, _ call: CallID, _ loaded: LoadedBatch, at now: Moment,
        _ batch: inout ShardBatch
    ) {
        guard let link = links[connection], let cached = users[name] else { return }
        link.ringing.remove(call)
        if let actions = cached.user.callAnswered(link.link.device, connection, call, at: now) {
            return record(actions, of: cached, at: now, &batch)
        }
        guard let status = status(of: call, name, loaded, at: now) else {
            return batch.effects.append(
                .refuse(connection, code: "no_such_call", detail: "The user was not called by this id."))
        }
        guard status.state != .answered(by: link.link.device) else { return }
        batch.effects.append(.call(.ended(connection, call, reason: status.state.reason)))
    }

    /// A commit whose end was unknown may have ended a call, and told nobody: what a connection rings for
    /// and memory does not have is asked for.
    func missedEnds(_ name: UserName, _ connection: ConnectionID) -> [CallName] {
        guard let link = links[connection], !link.ringing.isEmpty else { return [] }
        return link.ringing.filter { users[name]?.user.calls[$0] == nil }
            .map { CallName(tenant: name.tenant, call: $0) }
    }

    func tellMissedEnds(
        _ name: UserName, _ connection: ConnectionID, _ loaded: LoadedBatch, at now: Moment,
        _ batch: inout ShardBatch
    ) {
        for missed in missedEnds(name, connection) {
            guard let status = status(of: missed.call, name, loaded, at: now), status.state != .ringing
            else { continue }
            batch.effects.append(.call(.ended(connection, missed.call, reason: status.state.reason)))
        }
    }

    // MARK: - Recording

    func record(
        _ action: CallAction, of cached: CachedUser, at now: Moment, _ batch: inout ShardBatch
    ) {
        let user = cached.user.key
        switch action {
        case .saveLeg(let leg):
            batch.calls.put(LegRow(user: user, call: leg.call.key, state: leg.state, changedAt: now.wall))
        case .saveRing(let call, let ring):
            batch.calls.put(row(ring, of: call, user, at: now))
            if let end = ring.end { batch.calls.ends.append(end) }
        case .noteRing(let call, let ring): batch.calls.put(row(ring, of: call, user, at: now))
        case .saveCount(let device, let count): batch.calls.put(count, of: device)
        case .ring(let connection, let call): batch.effects.append(.call(.ring(connection, call)))
        case .tellEnded(let connection, let call, let reason):
            batch.effects.append(.call(.ended(connection, call, reason: reason)))
        case .queue(let device, let token):
            let channel = ChannelID(
                tenant: cached.name.tenant, transport: token.transport, environment: token.environment)
            batch.effects.append(.call(.queue(cached.name, device, channel)))
        }
    }

    private func row(_ ring: CallRing, of call: Call, _ user: UserKey, at now: Moment) -> RingRow {
        var wait: Int64 = 0
        let state: StoredRingState
        switch ring.state {
        case .offered(let until): (state, wait) = (.offered, until - now.instant)
        case .inFlight where ring.knownEnd != nil: state = .over
        case .due, .inFlight: state = .due
        case .retrying(let at): (state, wait) = (.retrying, at - now.instant)
        case .over: state = .over
        }
        return RingRow(
            user: user, call: call.key, device: ring.device, state: state, at: now.wall + max(0, wait),
            attempts: ring.attempts, chargedDay: ring.chargedDay, end: ring.knownEnd,
            trace: ring.knownEnd == nil ? [] : TraceEncoding.encode(ring.trace))
    }

    /// After the commit.
    func perform(_ effect: CallEffect) {
        switch effect {
        case .ring(let connection, let call):
            links[connection]?.ringing.insert(call.id)
            links[connection]?.link.sink.ring(call)
        case .ended(let connection, let call, let reason):
            links[connection]?.ringing.remove(call)
            links[connection]?.link.sink.callEnded(call, reason: reason)
        case .queue(let user, let device, let channel):
            channels.addCall(ChannelQueues.CallTicket(user: user, device: device), to: channel)
        }
    }

    // MARK: - The channel's turn

    /// Calls go first on every channel.
    func sendCalls(_ requests: inout [PushRequest], at now: Moment) {
        for place in channels.waitingCalls {
            guard let tenant = tenants[channels.ids[place].tenant], !tenant.isPaused else { continue }
            while let ticket = channels.nextCall(at: place) {
                if let request = buildCall(ticket, place, tenant, at: now) {
                    requests.append(request)
                } else {
                    channels.landed(at: place)
                }
            }
        }
    }

    private func buildCall(
        _ ticket: ChannelQueues.CallTicket, _ turn: Int, _ tenant: Tenant, at now: Moment
    ) -> PushRequest? {
        guard let cached = users[ticket.user] else { return nil }
        let channel = channels.ids[turn]
        nextRequest += 1
        let (draft, actions) = cached.user.buildCall(ticket.device, request: nextRequest, at: now)
        record(actions, of: cached, at: now, &carried)
        guard let draft else { return nil }
        guard let token = cached.tokens[draft.token.key] else {
            // The digest log names a token whose row is nowhere.
            let lost = cached.user.lostTokens(draft.device, [draft.token.key], at: now)
            record(lost, of: cached, at: now, &carried)
            return giveBackCall(ticket, cached, "token_missing", at: now)
        }
        let flightChannel = ChannelID(
            tenant: channel.tenant, transport: draft.token.transport, environment: draft.token.environment)
        // The token changed its transport while the device waited here.
        guard flightChannel == channel else {
            return giveBackCall(ticket, cached, "channel_changed", at: now)
        }
        guard let call = draft.callID else { return nil }
        let flight = Flight(cached, ticket.device, turn, token: draft.token.key, call: call)
        flights.insert(flight, nextRequest)
        counters.calls.pushes += 1
        return PushRequest(
            id: RequestID(shard: number, number: nextRequest), channel: channel, tenant: cached.tenantName,
            user: ticket.user.user, draft: draft, token: token, fcmForm: tenant.policy.fcmForm)
    }

    private func giveBackCall(
        _ ticket: ChannelQueues.CallTicket, _ cached: CachedUser, _ reason: String, at now: Moment
    ) -> PushRequest? {
        let answer = ProviderAnswer(status: 0, reason: reason)
        let settled = cached.user.callReported(
            ticket.device, request: nextRequest, .channelFault, answer, jitter: 0, at: now)
        record(settled, of: cached, at: now, &carried)
        return nil
    }

    // MARK: - Read back

    /// The stored legs of a user that ring, each ring met with what is known of its connection and its
    /// request.
    func recoveredLegs(
        _ stored: StoredUser, attached: [DeviceKey: LinkRecord], _ flying: [UInt64: Flight], at now: Moment
    ) -> [User.RecoveredLeg] {
        stored.calls.map { leg in
            let rings = leg.rings.map { row in
                User.RecoveredRing(
                    device: row.device, attempts: row.attempts, chargedDay: row.chargedDay,
                    state: state(
                        of: row, in: leg.call, flying, isLinked: attached[row.device] != nil, at: now))
            }
            return User.RecoveredLeg(call: leg.call, rings: rings)
        }
    }

    private func state(
        of row: RingRow, in call: Call, _ flying: [UInt64: Flight], isLinked: Bool, at now: Moment
    ) -> User.RecoveredRing.State {
        if let end = row.end { return .over(end) }
        let flight = flying.first { $0.value.call == call.id && $0.value.device == row.device }
        if let flight { return .inFlight(PushAttempt(request: flight.key, token: flight.value.token)) }
        let at = now.instant + max(0, row.at - now.wall)
        switch row.state {
        case .offered: return isLinked || readBackDrained && at > now.instant ? .offered(until: at) : .due
        case .retrying: return .retrying(at: at)
        case .due, .over: return .due
        }
    }
}

/// What may be performed after the commit that records it.
enum CallEffect {
    case ring(ConnectionID, Call)
    case ended(ConnectionID, CallID, reason: String)
    case queue(UserName, DeviceKey, ChannelID)
}

/// Growing counts of one shard since start.
package struct CallCounters: Sendable, Equatable {
    /// Calls as their callees have them.
    package var legs: UInt64 = 0
    package var pushes: UInt64 = 0
    /// Rings that ended, by outcome and reason.
    package var outcomes: [ShardCounters.OutcomeKey: UInt64] = [:]
}
