/// The end of a call, told by a push: a device that was made to ring and has no connection would ring until
/// the call expires. FCM alone can tell it: any push over VoIP has to ring.
///
/// Not kept for the next process: without it the device stops at the call's end.
extension User {
    /// The leg has ended, or a push of it has come through late: the device may ring, and is told.
    mutating func oweEnd(_ leg: Int, _ ring: Int, at now: Moment, _ actions: inout [UserAction]) {
        guard calls.legs[leg].rings[ring].farewell == .none, isEndOwed(leg, ring, at: now) else { return }
        calls.legs[leg].rings[ring].farewell = .due
        queueCall(calls.legs[leg].rings[ring].device, &actions)
    }

    /// Whether the device may ring for a call that is over, and only a push can tell it.
    private func isEndOwed(_ leg: Int, _ ring: Int, at now: Moment) -> Bool {
        let rung = calls.legs[leg].rings[ring]
        guard calls.legs[leg].endsEarly, rung.mayRing, !calls.legs[leg].isPast(now),
            callToken(rung.device)?.transport == .fcm, let device = device(rung.device),
            calls.legs[leg].state != .answered(by: device.id)
        else { return false }
        guard let presence = device.presence else { return true }
        // A connection begun after the push tells it; one that was there before has not been heard.
        return rung.pushedAt.map { presence.welcomedAt < $0 } ?? false
    }

    /// It is the device's turn: the push of this moment; nil: it needs none any more.
    mutating func buildEnd(
        _ leg: Int, _ ring: Int, device index: Int, _ token: TokenDigest, request: UInt64, at now: Moment
    ) -> PushDraft? {
        guard isEndOwed(leg, ring, at: now) else {
            calls.legs[leg].rings[ring].farewell = .over
            return nil
        }
        calls.legs[leg].rings[ring].farewell = .inFlight(PushAttempt(request: request, token: token.key))
        let call = calls.legs[leg].call
        let attempt = calls.legs[leg].rings[ring].farewellAttempts + 1
        calls.legs[leg].rings[ring].trace.append(
            TraceStep(at: now.wall, event: .call(.endBuilt(token.transport, attempt: attempt))))
        let end = CallEndDraft(callID: call.id, reason: calls.legs[leg].state.reason)
        return PushDraft(
            device: devices[index].id, token: token, content: .callCancelled(end),
            badge: badge.totalUnread, badgeRevision: badge.projectionSeq, expiresAt: call.expiresAt,
            locale: devices[index].profile.locale)
    }

    /// The provider's outcome for it.
    mutating func endReported(
        _ leg: Int, _ ring: Int, _ attempt: PushAttempt, _ verdict: PushVerdict, jitter: Double,
        at now: Moment, _ actions: inout [UserAction]
    ) {
        switch verdict {
        case .channelFault: calls.legs[leg].rings[ring].farewell = .due
        case .retry(let after): retryEnd(leg, ring, after, jitter, at: now)
        case .accepted, .rejected: calls.legs[leg].rings[ring].farewell = .over
        case .tokenDead(let since):
            calls.legs[leg].rings[ring].farewell = .over
            dropCallToken(
                attempt.token, since, of: calls.legs[leg].rings[ring].device, at: now, &actions)
        }
        if calls.legs[leg].rings[ring].farewell == .over {
            actions.append(.call(.noteRing(calls.legs[leg].call, calls.legs[leg].rings[ring])))
        }
    }

    private mutating func retryEnd(
        _ leg: Int, _ ring: Int, _ after: Int64?, _ jitter: Double, at now: Moment
    ) {
        calls.legs[leg].rings[ring].farewellAttempts += 1
        let attempts = calls.legs[leg].rings[ring].farewellAttempts
        let wait = RetryBackOff.milliseconds(attempt: attempts, transport: .fcm, after: after, jitter)
        let isInTime = now.instant + wait < calls.legs[leg].expires
        let isOver = attempts >= policy.pushRetryMaxAttempts || !isInTime
        calls.legs[leg].rings[ring].farewell = isOver ? .over : .retrying(at: now.instant + wait)
        guard !isOver else { return }
        calls.legs[leg].rings[ring].trace.append(
            TraceStep(at: now.wall, event: .retrying(afterMilliseconds: wait)))
    }

    /// Time passed for a leg that has ended: what was asked to wait is due.
    mutating func passEnds(_ leg: Int, to now: Moment, _ actions: inout [UserAction]) {
        for ring in calls.legs[leg].rings.indices {
            guard case .retrying(let at) = calls.legs[leg].rings[ring].farewell, at <= now.instant else {
                continue
            }
            calls.legs[leg].rings[ring].farewell = .due
            queueCall(calls.legs[leg].rings[ring].device, &actions)
        }
    }
}

extension CallLeg {
    /// Whether it was over before its time: then a device that rings does not know by itself.
    fileprivate var endsEarly: Bool {
        switch state {
        case .answered, .cancelled: true
        case .ringing, .expired: false
        }
    }

    fileprivate func isPast(_ now: Moment) -> Bool { expires <= now.instant || call.expiresAt <= now.wall }
}

extension CallRing {
    /// Whether the device was told to ring, as far as is known: what has left once may have arrived.
    fileprivate var mayRing: Bool {
        switch end?.outcome {
        case .notified, .applied: true
        case .cancelled: wasHandedOver
        case .suppressed, .dropped, nil: false
        }
    }
}
