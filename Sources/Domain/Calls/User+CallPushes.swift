/// The push of a call: due, built, answered. A slot of its own: it never waits for an alert of the device.
extension User {
    /// What a call goes to now: the VoIP token, else FCM. Nothing else can make a device ring.
    func callToken(_ device: DeviceKey) -> TokenDigest? {
        let tokens = self.device(device)?.tokens ?? []
        for transport in Transport.callOrder {
            if let token = tokens.first(where: { $0.transport == transport }) { return token }
        }
        return nil
    }

    /// The ring is to be pushed: judged against what the device has and may, and queued.
    mutating func ringFallsDue(
        _ leg: Int, _ ring: Int, _ reason: DueReason, at now: Moment, _ actions: inout [UserAction]
    ) {
        calls.legs[leg].rings[ring].trace.append(TraceStep(at: now.wall, event: .due(reason)))
        let device = calls.legs[leg].rings[ring].device
        guard let token = callToken(device) else {
            return settleRing(leg, ring, CallRing.End(.suppressed, .noCallToken), at: now, &actions)
        }
        guard takeQuota(leg, ring, token, at: now, &actions) else { return }
        calls.legs[leg].rings[ring].state = .due
        actions.append(.call(.saveRing(calls.legs[leg].call, calls.legs[leg].rings[ring])))
        queueCall(device, &actions)
    }

    mutating func queueCall(_ device: DeviceKey, _ actions: inout [UserAction]) {
        guard !calls.queued.contains(device), !calls.isInFlight(device), calls.nextDue(device) != nil,
            let token = callToken(device)
        else { return }
        calls.queued.insert(device)
        actions.append(.call(.queue(device, token)))
    }

    // MARK: - Quota

    /// Takes one of the device's VoIP pushes of this UTC day, before the push can leave, so that no crash
    /// gives it back; false: there is none left, and the ring is over.
    private mutating func takeQuota(
        _ leg: Int, _ ring: Int, _ token: TokenDigest, at now: Moment, _ actions: inout [UserAction]
    ) -> Bool {
        guard token.transport == .apnsVoIP, calls.legs[leg].rings[ring].chargedDay == nil else { return true }
        let day = VoIPCount.day(of: now.wall)
        let count = calls.counts[token: calls.legs[leg].rings[ring].device, on: day]
        let limit = policy.rtcVoIPPushDailyQuota
        calls.legs[leg].rings[ring].trace.append(
            TraceStep(at: now.wall, event: .call(.quota(used: count.used, limit: limit))))
        guard count.used < limit else {
            settleRing(leg, ring, CallRing.End(.dropped, .quotaExceeded), at: now, &actions)
            return false
        }
        calls.legs[leg].rings[ring].chargedDay = day
        charge(calls.legs[leg].rings[ring].device, VoIPCount(day: day, used: count.used + 1), &actions)
        return true
    }

    /// What was never handed over costs nothing.
    mutating func giveBackQuota(_ leg: Int, _ ring: Int, at now: Moment, _ actions: inout [UserAction]) {
        let ended = calls.legs[leg].rings[ring]
        guard let day = ended.chargedDay, !ended.wasHandedOver else { return }
        calls.legs[leg].rings[ring].chargedDay = nil
        guard let count = calls.counts[ended.device], count.day == day else { return }
        charge(ended.device, VoIPCount(day: day, used: max(0, count.used - 1)), &actions)
    }

    private mutating func charge(_ device: DeviceKey, _ count: VoIPCount, _ actions: inout [UserAction]) {
        calls.counts[device] = count
        actions.append(.call(.saveCount(device, count)))
    }

    // MARK: - The channel's turn

    /// It is the device's turn: judges again and builds the request of this moment; nil: nothing is left.
    package mutating func buildCall(
        _ device: DeviceKey, request: UInt64, at now: Moment
    ) -> (draft: PushDraft?, actions: [UserAction]) {
        var actions: [UserAction] = []
        calls.queued.remove(device)
        guard !calls.isInFlight(device), let index = index(device) else { return (nil, []) }
        while let (leg, ring) = calls.nextDue(device), let token = callToken(device) {
            if calls.legs[leg].rings[ring].farewell == .due {
                let draft = buildEnd(leg, ring, device: index, token, request: request, at: now)
                if let draft { return (draft, actions) }
                continue
            }
            let call = calls.legs[leg].call
            // The leg itself ends by its timer, or has already.
            if calls.legs[leg].expires <= now.instant || call.expiresAt <= now.wall {
                settleRing(leg, ring, CallRing.End(.dropped, .expired), at: now, &actions)
                continue
            }
            let isCharged = token.transport != .apnsVoIP || calls.legs[leg].rings[ring].chargedDay != nil
            guard takeQuota(leg, ring, token, at: now, &actions) else { continue }
            guard isCharged else {
                // It fell due for another transport: what it takes now is committed before its turn comes, on
                // whatever channel the device waits.
                calls.legs[leg].rings[ring].state = .retrying(at: now.instant)
                actions.append(.call(.saveRing(call, calls.legs[leg].rings[ring])))
                actions.append(.wake(at: now.instant))
                continue
            }
            let attempt = calls.legs[leg].rings[ring].attempts + 1
            calls.legs[leg].rings[ring].state = .inFlight(PushAttempt(request: request, token: token.key))
            calls.legs[leg].rings[ring].wasHandedOver = true
            calls.legs[leg].rings[ring].pushedAt = now.instant
            calls.legs[leg].rings[ring].trace.append(
                TraceStep(at: now.wall, event: .call(.built(token.transport, attempt: attempt))))
            let draft = PushDraft(
                device: devices[index].id, token: token, content: .call(CallDraft(call)),
                badge: badge.totalUnread, badgeRevision: badge.projectionSeq, expiresAt: call.expiresAt,
                locale: devices[index].profile.locale)
            return (draft, actions)
        }
        return (nil, actions)
    }

    // MARK: - The provider's answer

    /// The provider's outcome for a call's request arrived; `jitter` is uniform in 0..<1.
    package mutating func callReported(
        _ device: DeviceKey, request: UInt64, _ verdict: PushVerdict, _ answer: ProviderAnswer,
        jitter: Double, at now: Moment
    ) -> [UserAction] {
        var actions: [UserAction] = []
        guard let (leg, ring) = calls.flight(request, device: device),
            let attempt = calls.legs[leg].rings[ring].attempt
        else {
            if calls.adrift.removeValue(forKey: request) != nil { queueCall(device, &actions) }
            return actions
        }
        calls.legs[leg].rings[ring].trace.append(
            TraceStep(at: now.wall, event: .answered(verdict, answer)))
        if case .inFlight = calls.legs[leg].rings[ring].farewell {
            endReported(leg, ring, attempt, verdict, jitter: jitter, at: now, &actions)
        } else {
            ringReported(leg, ring, attempt, verdict, jitter: jitter, at: now, &actions)
            oweEnd(leg, ring, at: now, &actions)
        }
        queueCall(device, &actions)
        if let next = calls.nextDeadline { actions.append(.wake(at: next)) }
        return actions
    }

    private mutating func ringReported(
        _ leg: Int, _ ring: Int, _ attempt: PushAttempt, _ verdict: PushVerdict, jitter: Double,
        at now: Moment, _ actions: inout [UserAction]
    ) {
        switch verdict {
        // A push that went out is what happened, whatever came meanwhile.
        case .accepted: settleRing(leg, ring, CallRing.End(.notified), at: now, &actions)
        case .rejected: settle(leg, ring, else: CallRing.End(.dropped, .rejected), at: now, &actions)
        case .tokenDead(let since): callTokenDied(attempt.token, since, leg, ring, at: now, &actions)
        case .retry(let after): retryCall(leg, ring, after, jitter, at: now, &actions)
        case .channelFault: goOn(leg, ring, at: now, &actions)
        }
    }

    /// What came while the request was away decides; else it ends so.
    private mutating func settle(
        _ leg: Int, _ ring: Int, else end: CallRing.End, at now: Moment, _ actions: inout [UserAction]
    ) {
        let end = calls.legs[leg].rings[ring].pendingEnd ?? end
        settleRing(leg, ring, end, at: now, &actions)
    }

    /// No attempt is burned: due again, unless it is over or nothing is left to send to.
    private mutating func goOn(_ leg: Int, _ ring: Int, at now: Moment, _ actions: inout [UserAction]) {
        let hasToken = callToken(calls.legs[leg].rings[ring].device) != nil
        guard hasToken, calls.legs[leg].rings[ring].pendingEnd == nil else {
            return settle(leg, ring, else: CallRing.End(.dropped, .tokenDead), at: now, &actions)
        }
        calls.legs[leg].rings[ring].state = .due
    }

    /// Only the token that was sent to goes; alert tokens are another matter.
    private mutating func callTokenDied(
        _ token: TokenKey, _ since: WallTime?, _ leg: Int, _ ring: Int, at now: Moment,
        _ actions: inout [UserAction]
    ) {
        let device = calls.legs[leg].rings[ring].device
        guard !isKept(token, of: device, diedAt: since) else {
            return settle(leg, ring, else: CallRing.End(.dropped, .rejected), at: now, &actions)
        }
        goOn(leg, ring, at: now, &actions)
        dropCallToken(token, since, of: device, at: now, &actions)
    }

    /// Whether the token was registered again after the provider's verdict.
    private func isKept(_ token: TokenKey, of device: DeviceKey, diedAt since: WallTime?) -> Bool {
        let registered = self.device(device)?.tokens.first { $0.key == token }
        let isNewer = registered.flatMap { known in since.map { $0 < known.registeredAt } } ?? false
        return isNewer || policy.disabledRules.contains(.deadTokensGo)
    }

    mutating func dropCallToken(
        _ token: TokenKey, _ since: WallTime?, of device: DeviceKey, at now: Moment,
        _ actions: inout [UserAction]
    ) {
        guard !isKept(token, of: device, diedAt: since), let index = index(device) else { return }
        remove(token, device: index, .tokenDead, at: now, &actions)
    }

    /// A short back-off that never passes the call's end.
    private mutating func retryCall(
        _ leg: Int, _ ring: Int, _ after: Int64?, _ jitter: Double, at now: Moment,
        _ actions: inout [UserAction]
    ) {
        calls.legs[leg].rings[ring].attempts += 1
        let (device, attempts) = (calls.legs[leg].rings[ring].device, calls.legs[leg].rings[ring].attempts)
        guard attempts < policy.pushRetryMaxAttempts else {
            return settle(leg, ring, else: CallRing.End(.dropped, .attemptsExhausted), at: now, &actions)
        }
        guard let transport = callToken(device)?.transport else {
            return settle(leg, ring, else: CallRing.End(.dropped, .tokenDead), at: now, &actions)
        }
        let wait = RetryBackOff.milliseconds(
            attempt: attempts, transport: transport, after: after, jitter)
        guard now.instant + wait < calls.legs[leg].expires, calls.legs[leg].rings[ring].pendingEnd == nil
        else {
            return settle(leg, ring, else: CallRing.End(.dropped, .expired), at: now, &actions)
        }
        calls.legs[leg].rings[ring].state = .retrying(at: now.instant + wait)
        calls.legs[leg].rings[ring].trace.append(
            TraceStep(at: now.wall, event: .retrying(afterMilliseconds: wait)))
        actions.append(.call(.saveRing(calls.legs[leg].call, calls.legs[leg].rings[ring])))
    }

    // MARK: - Tokens

    /// The device's tokens have changed: what can no longer be pushed is over, the rest is queued.
    mutating func callTokensChanged(_ index: Int, at now: Moment, _ actions: inout [UserAction]) {
        guard !calls.legs.isEmpty else { return }
        let device = devices[index].key
        if devices[index].profile.isSignedOut {
            return endRings(of: device, CallRing.End(.dropped, .deviceRemoved), at: now, &actions) { _ in true
            }
        }
        // Where it stands in a queue already may be the channel of a token that is gone, and halted.
        calls.queued.remove(device)
        guard callToken(device) == nil else { return queueCall(device, &actions) }
        endRings(of: device, CallRing.End(.dropped, .tokenDead), at: now, &actions) { $0.isWaiting }
    }

    mutating func endRings(
        of device: DeviceKey, _ end: CallRing.End, at now: Moment, _ actions: inout [UserAction],
        where isMeant: (CallRing) -> Bool
    ) {
        for leg in calls.legs.indices {
            for ring in calls.legs[leg].rings.indices
            where calls.legs[leg].rings[ring].device == device && isMeant(calls.legs[leg].rings[ring]) {
                endRing(leg, ring, end, at: now, &actions)
            }
        }
    }
}

extension CallRing {
    /// Waits for its turn or its next attempt.
    fileprivate var isWaiting: Bool {
        switch state {
        case .due, .retrying: true
        case .offered, .inFlight, .over: false
        }
    }
}

extension [DeviceKey: VoIPCount] {
    /// What a device has had on this day.
    fileprivate subscript(token device: DeviceKey, on day: Int64) -> VoIPCount {
        guard let count = self[device], count.day == day else { return VoIPCount(day: day, used: 0) }
        return count
    }
}
