/// Calls read back from the store: after a crash, a take-over, a drain, or a commit whose outcome is unknown.
extension User {
    package struct RecoveredLeg: Sendable {
        package let call: Call
        package let rings: [RecoveredRing]

        package init(call: Call, rings: [RecoveredRing]) {
            self.call = call
            self.rings = rings
        }
    }

    package struct RecoveredRing: Sendable {
        package let device: DeviceKey
        package let attempts: Int
        package let chargedDay: Int64?
        package let state: State

        package init(device: DeviceKey, attempts: Int, chargedDay: Int64?, state: State) {
            self.device = device
            self.attempts = attempts
            self.chargedDay = chargedDay
            self.state = state
        }

        package enum State: Equatable, Sendable {
            /// Due before, or offered to a connection that is gone: a crash is a close.
            case due
            /// Offered to a connection that lives on, or by a drain.
            case offered(until: Instant)
            case retrying(at: Instant)
            /// Its request is still with the provider, or its report has not been recorded.
            case inFlight(PushAttempt)
            case over(CallRing.End)
        }
    }

    /// What still rings rings on; what has expired meanwhile ends now.
    ///
    /// - Parameter flying: requests for calls that are with a provider, and whom they are for. Those whose
    ///   ring has its end, or whose leg is over, change nothing any more; the device's next waits for them.
    package mutating func recoveredCalls(
        _ legs: [RecoveredLeg], flying: [UInt64: DeviceKey] = [:], at now: Moment
    ) -> [UserAction] {
        var actions: [UserAction] = []
        calls.adrift = flying
        for recovered in legs where calls.index(recovered.call.id) == nil {
            for ring in recovered.rings {
                if case .inFlight(let attempt) = ring.state { calls.adrift[attempt.request] = nil }
            }
            calls.legs.append(CallLeg(recovered.call, rings: recovered.rings.map { CallRing($0) }, at: now))
            let leg = calls.legs.count - 1
            guard calls.legs[leg].expires > now.instant else {
                endLeg(leg, .expired, at: now, &actions)
                continue
            }
            for ring in calls.legs[leg].rings.indices { resume(leg, ring, at: now, &actions) }
        }
        if let next = calls.nextDeadline { actions.append(.wake(at: next)) }
        return actions
    }

    /// What the devices have had of their quota, as stored.
    package mutating func recoveredCounts(_ counts: [DeviceKey: VoIPCount]) { calls.counts = counts }

    /// No deadline lies later than the longest wait of its kind, whatever the store said: the clock may have
    /// moved.
    private mutating func resume(
        _ leg: Int, _ ring: Int, at now: Moment, _ actions: inout [UserAction]
    ) {
        let device = calls.legs[leg].rings[ring].device
        guard self.device(device) != nil else {
            return endRing(leg, ring, CallRing.End(.dropped, .deviceRemoved), at: now, &actions)
        }
        switch calls.legs[leg].rings[ring].state {
        case .offered(let until):
            calls.legs[leg].rings[ring].state = .offered(until: min(until, now.instant + policy.callGrace))
        case .retrying(let at):
            let latest = now.instant + RetryBackOff.longestMilliseconds
            calls.legs[leg].rings[ring].state = .retrying(at: min(at, latest))
        case .due: ringFallsDue(leg, ring, .recovered, at: now, &actions)
        case .inFlight, .over: break
        }
    }
}

extension CallRing {
    fileprivate init(_ recovered: User.RecoveredRing) {
        let state: CallRing.State =
            switch recovered.state {
            case .due: .due
            case .offered(let until): .offered(until: until)
            case .retrying(let at): .retrying(at: at)
            case .inFlight(let attempt): .inFlight(attempt)
            case .over(let end): .over(end)
            }
        self.init(
            device: recovered.device, state: state, attempts: recovered.attempts,
            chargedDay: recovered.chargedDay)
    }
}
