/// Calls: who rings, what a device tells of them, and how they end.
///
/// They take no part in mute, quiet hours and limits. A device with a connection is told by a frame, and
/// pushed unless it applies that within `call_grace`; every other one is pushed at once.
extension User {
    /// A call came for this user: a ring for each device, or the reason for none.
    ///
    /// - Precondition: the user has no leg of this call (dedup is the shard's, by the rows).
    /// - Parameter cancelled: the backend's word, if it has cancelled the call before it came here.
    package mutating func callArrived(
        _ call: Call, cancelled: String? = nil, at now: Moment
    ) -> [UserAction] {
        var actions: [UserAction] = []
        calls.begin(CallLeg(call, at: now))
        let leg = calls.legs.count - 1
        if let over = overAtOnce(calls.legs[leg], cancelled, at: now) {
            endLeg(leg, over, at: now, &actions)
            return actions
        }
        actions.append(.call(.saveLeg(calls.legs[leg])))
        for device in devices.indices where !devices[device].profile.isSignedOut {
            beginRing(leg, device: device, at: now, &actions)
        }
        actions.append(.wake(at: calls.legs[leg].expires))
        return actions
    }

    private func overAtOnce(_ leg: CallLeg, _ cancelled: String?, at now: Moment) -> CallLeg.State? {
        if let cancelled { return .cancelled(reason: cancelled) }
        if leg.expires <= now.instant { return .expired }
        let ringing = calls.legs.count { $0.isRinging }
        return ringing > UserCalls.maximumRinging ? .cancelled(reason: "too_many_calls") : nil
    }

    private mutating func beginRing(
        _ leg: Int, device index: Int, at now: Moment, _ actions: inout [UserAction]
    ) {
        let key = devices[index].key
        let connection = devices[index].presence?.connection
        let presence = TraceStep(at: now.wall, event: .presence(connection))
        guard let connection else {
            calls.legs[leg].rings.append(CallRing(key, .due, [presence]))
            return ringFallsDue(leg, calls.legs[leg].rings.count - 1, .offline, at: now, &actions)
        }
        let grace = policy.callGrace
        let trace = [
            presence, TraceStep(at: now.wall, event: .call(.offered(connection))),
            TraceStep(at: now.wall, event: .held(milliseconds: grace)),
        ]
        let ring = CallRing(key, .offered(until: now.instant + grace), trace)
        calls.legs[leg].rings.append(ring)
        actions.append(.call(.saveRing(calls.legs[leg].call, ring)))
        // Who still catches up is told after that: the grace runs all the same.
        if devices[index].presence?.isLive == true {
            actions.append(.call(.ring(connection, calls.legs[leg].call)))
        }
        actions.append(.wake(at: now.instant + grace))
    }

    // MARK: - Evidence

    /// CALL_APPLIED: the device rings by itself; no push has to do it any more. One that is with the provider
    /// is settled by its outcome. Of a call that is unknown or over it tells nothing.
    package mutating func callApplied(
        _ device: DeviceID, _ call: CallID, at now: Moment
    ) -> [UserAction] {
        var actions: [UserAction] = []
        guard let leg = calls.index(call), calls.legs[leg].isRinging, let key = self.device(device)?.key,
            let ring = calls.legs[leg].rings.firstIndex(where: { $0.device == key })
        else { return [] }
        endRing(leg, ring, CallRing.End(.applied), at: now, &actions)
        return actions
    }

    /// CALL_ANSWERED: the others stop ringing. Who answers a call that is over is told so; nil: the user has
    /// no such leg in memory.
    package mutating func callAnswered(
        _ device: DeviceID, _ connection: ConnectionID, _ call: CallID, at now: Moment
    ) -> [UserAction]? {
        guard let leg = calls.index(call) else { return nil }
        var actions: [UserAction] = []
        switch calls.legs[leg].state {
        case .ringing: endLeg(leg, .answered(by: device), at: now, &actions)
        case .answered(by: device): break
        case let over: actions.append(.call(.tellEnded(connection, call, reason: over.reason)))
        }
        return actions
    }

    /// The backend ends the call for this user. A leg that is over stays as it ended.
    package mutating func callCancelled(_ call: CallID, reason: String, at now: Moment) -> [UserAction] {
        var actions: [UserAction] = []
        guard let leg = calls.index(call), calls.legs[leg].isRinging else { return [] }
        endLeg(leg, .cancelled(reason: reason), at: now, &actions)
        return actions
    }

    /// The device has caught up: what still rings is told to it, and the end of what a push or a former
    /// connection made it ring for.
    func pendingCalls(_ index: Int) -> [UserAction] {
        guard let connection = devices[index].presence?.connection else { return [] }
        let device = devices[index].key
        return calls.legs.compactMap { leg in
            if leg.isRinging { return .call(.ring(connection, leg.call)) }
            guard leg.rings.contains(where: { $0.device == device }),
                leg.state != .answered(by: devices[index].id)
            else { return nil }
            return .call(.tellEnded(connection, leg.call.id, reason: leg.state.reason))
        }
    }

    /// The device's connection is gone: what it has not applied is pushed at once.
    mutating func releaseCalls(_ index: Int, at now: Moment, _ actions: inout [UserAction]) {
        let device = devices[index].key
        for leg in calls.legs.indices where calls.legs[leg].isRinging {
            for ring in calls.legs[leg].rings.indices where calls.legs[leg].rings[ring].device == device {
                guard case .offered = calls.legs[leg].rings[ring].state else { continue }
                ringFallsDue(leg, ring, .connectionClosed, at: now, &actions)
            }
        }
    }

    // MARK: - Time

    /// Graces run out, retries come up, legs expire; what ended before its time is forgotten with it.
    mutating func passCalls(to now: Moment, _ actions: inout [UserAction]) {
        guard !calls.legs.isEmpty else { return }
        for leg in calls.legs.indices {
            if !calls.legs[leg].isRinging {
                passEnds(leg, to: now, &actions)
            } else if calls.legs[leg].expires <= now.instant {
                endLeg(leg, .expired, at: now, &actions)
            } else {
                for ring in calls.legs[leg].rings.indices { passRing(leg, ring, to: now, &actions) }
            }
        }
        calls.legs.removeAll { !$0.isRinging && !$0.hasFlight && $0.expires <= now.instant }
    }

    private mutating func passRing(
        _ leg: Int, _ ring: Int, to now: Moment, _ actions: inout [UserAction]
    ) {
        switch calls.legs[leg].rings[ring].state {
        case .offered(let until) where until <= now.instant:
            ringFallsDue(leg, ring, .graceWindowOver, at: now, &actions)
        case .retrying(let at) where at <= now.instant:
            calls.legs[leg].rings[ring].state = .due
            queueCall(calls.legs[leg].rings[ring].device, &actions)
        default: break
        }
    }

    // MARK: - The end

    /// Ends the leg, what is left of its rings, and tells the connected devices but the one that answered.
    mutating func endLeg(
        _ leg: Int, _ state: CallLeg.State, at now: Moment, _ actions: inout [UserAction]
    ) {
        calls.legs[leg].state = state
        actions.append(.call(.saveLeg(calls.legs[leg])))
        for ring in calls.legs[leg].rings.indices {
            let device = self.device(calls.legs[leg].rings[ring].device)
            let end = state.end(answered: device.map { state == .answered(by: $0.id) } ?? false)
            if !calls.legs[leg].rings[ring].isOver {
                calls.legs[leg].rings[ring].trace.append(
                    TraceStep(at: now.wall, event: .call(.legEnded(state))))
            }
            endRing(leg, ring, end, at: now, &actions)
            oweEnd(leg, ring, at: now, &actions)
        }
        for device in devices where state != .answered(by: device.id) {
            guard let connection = device.presence?.connection else { continue }
            let id = calls.legs[leg].call.id
            actions.append(.call(.tellEnded(connection, id, reason: state.reason)))
        }
        actions.append(.wake(at: calls.legs[leg].expires))
    }

    /// Ends a ring once; one that is with the provider keeps its end until the outcome comes, and has it
    /// written, should no outcome ever come: the process may die.
    mutating func endRing(
        _ leg: Int, _ ring: Int, _ end: CallRing.End, at now: Moment, _ actions: inout [UserAction]
    ) {
        switch calls.legs[leg].rings[ring].state {
        case .over: return
        case .inFlight:
            guard calls.legs[leg].rings[ring].pendingEnd == nil else { return }
            calls.legs[leg].rings[ring].pendingEnd = end
            actions.append(.call(.saveRing(calls.legs[leg].call, calls.legs[leg].rings[ring])))
        case .offered, .due, .retrying: settleRing(leg, ring, end, at: now, &actions)
        }
    }

    /// The ring is over, whatever its state: recorded with its reason, once.
    mutating func settleRing(
        _ leg: Int, _ ring: Int, _ end: CallRing.End, at now: Moment, _ actions: inout [UserAction]
    ) {
        calls.legs[leg].rings[ring].state = .over(end)
        calls.legs[leg].rings[ring].pendingEnd = nil
        calls.legs[leg].rings[ring].trace.append(
            TraceStep(at: now.wall, event: .ended(end.outcome, end.reason)))
        giveBackQuota(leg, ring, at: now, &actions)
        actions.append(.call(.saveRing(calls.legs[leg].call, calls.legs[leg].rings[ring])))
    }
}

extension CallLeg.State {
    /// How the rings end that are left when the leg does.
    fileprivate func end(answered: Bool) -> CallRing.End {
        switch self {
        case .ringing, .expired: CallRing.End(.dropped, .expired)
        case .answered where answered: CallRing.End(.applied)
        case .answered: CallRing.End(.cancelled, .answeredElsewhere)
        case .cancelled: CallRing.End(.cancelled, .callCancelled)
        }
    }
}
