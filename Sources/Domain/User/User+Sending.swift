/// From the channel's turn to the provider's answer.
extension User {
    /// It is the device's turn: judges the next group again and builds the request of this moment.
    ///
    /// - Parameter place: where the device's turn has come; nil: wherever it waited.
    package mutating func build(
        _ device: DeviceKey, request: UInt64, from place: QueuePlace? = nil, at now: Moment
    ) -> BuiltPush {
        var actions: [UserAction] = []
        guard let draft = build(device, request: request, from: place, at: now, &actions) else {
            return BuiltPush(draft: nil, flight: nil, actions: actions)
        }
        return BuiltPush(draft: draft, flight: inFlight(device, request: request), actions: actions)
    }

    private mutating func build(
        _ device: DeviceKey, request: UInt64, from place: QueuePlace?, at now: Moment,
        _ actions: inout [UserAction]
    ) -> PushDraft? {
        guard let index = index(device) else { return nil }
        devices[index].places.removeAll { place == nil || $0 == place }
        guard !isInFlight(index) else { return nil }
        while let group = devices[index].groups.nextReady, let token = devices[index].tokens.alert {
            let conversation = conversations[devices[index].groups[group].conversation]
            judgeAgain(group, in: conversation, device: index, at: now, &actions)
            guard !devices[index].groups[group].tasks.isEmpty else {
                devices[index].groups.remove(at: group)
                continue
            }
            guard let group = takeUnit(group, device: index, at: now, &actions) else { continue }
            devices[index].groups[group].state = .inFlight(PushAttempt(request: request, token: token.key))
            devices[index].groups[group].builtSeq = head
            devices[index].groups[group].isCountStale = false
            let draft = draft(
                group, unread: Int64(conversation.unread.count), device: index, token, at: now)
            if !actions.isEmpty { owe(at: now, &actions) }
            return draft
        }
        // What was judged away brings no badge any more.
        if !actions.isEmpty { owe(at: now, &actions) }
        guard let token = devices[index].tokens.alert,
            let silent = buildSilent(index, token, request: request, at: now)
        else { return nil }
        devices[index].places.removeAll { place == nil || $0 == place }
        return silent
    }

    private mutating func draft(
        _ group: Int, unread: Int64, device index: Int, _ token: TokenDigest, at now: Moment
    ) -> PushDraft? {
        let size = devices[index].groups[group].tasks.count
        guard let alert = devices[index].groups[group].tasks.alert(unread: unread) else { return nil }
        // Where nothing silent may be sent, the message is shown.
        let isWake = token.transport.carries(.wake) && isWake(group, device: index, at: now)
        let draft = draft(
            isWake ? .wake(alert) : .alert(alert), device: index, token,
            expiresAt: lastExpiry(of: group, device: index) ?? now.wall)
        let attempt = Int32(devices[index].groups[group].attempts + 1)
        let built = TraceStep(
            at: now.wall,
            event: .built(
                groupSize: Int32(size), unread: unread, badge: draft.badge, token.transport, attempt: attempt)
        )
        for task in devices[index].groups[group].tasks.indices {
            devices[index].groups[group].tasks[task].trace.append(built)
        }
        devices[index].groups[group].builtBadge = GivenBadge(
            total: draft.badge, revision: draft.badgeRevision)
        return draft
    }

    private func lastExpiry(of group: Int, device index: Int) -> WallTime? {
        var last: WallTime?
        for task in devices[index].groups[group].tasks.indices {
            let expiry = expiry(of: devices[index].groups[group].tasks[task])
            last = max(last ?? expiry, expiry)
        }
        return last
    }

    /// Any push carries the badge of the moment at which it is built.
    func draft(
        _ content: PushDraft.Content, device index: Int, _ token: TokenDigest, expiresAt: WallTime
    ) -> PushDraft {
        let isOld = policy.disabledRules.contains(.badgeOfNow)
        return PushDraft(
            device: devices[index].id, token: token, content: content,
            badge: isOld ? formerTotal : badge.totalUnread, badgeRevision: badge.projectionSeq,
            expiresAt: expiresAt, locale: locale(device: index),
            isTokenShared: devices[index].sharedTokens.contains(token.key))
    }

    /// The provider's outcome for a request arrived; `jitter` is uniform in 0..<1.
    package mutating func answered(
        _ device: DeviceKey, request: UInt64, _ verdict: PushVerdict, _ answer: ProviderAnswer,
        jitter: Double,
        at now: Moment
    ) -> [UserAction] {
        var actions: [UserAction] = []
        actions.reserveCapacity(3)
        guard let index = index(device) else { return [] }
        if devices[index].hasSilentFlight, let flight = devices[index].silentFlight,
            flight.attempt.request == request
        {
            if answer.isUnheard { devices[index].record.mayHave(flight.badge) }
            silentAnswered(flight, device: index, verdict, jitter: jitter, at: now, &actions)
            queueIfReady(index, newly: .mention, &actions)
            owe(at: now, &actions)
            return actions
        }
        guard let group = flight(request, device: index),
            case .inFlight(let attempt) = devices[index].groups[group].state
        else { return [] }
        let step = TraceStep(at: now.wall, event: .answered(verdict, answer))
        for task in devices[index].groups[group].tasks.indices {
            devices[index].groups[group].tasks[task].trace.append(step)
        }
        switch verdict {
        case .accepted: accepted(group, device: index, at: now, &actions)
        case .rejected: finish(group, device: index, .dropped, .rejected, at: now, &actions)
        case .tokenDead(let since):
            tokenDied(attempt.token, since: since, group: group, device: index, at: now, &actions)
        case .retry(let after):
            retry(group, device: index, after: after, jitter: jitter, at: now, &actions)
        case .channelFault:
            if answer.isUnheard { unheard(group, device: index, &actions) }
            settlePending(group, device: index, at: now, &actions)
            setState(.ready, of: request, device: index)
        }
        queueIfReady(index, newly: .mention, &actions)
        owe(at: now, &actions)
        return actions
    }

    /// The place of the group that a request is for.
    func flight(_ request: UInt64, device index: Int) -> Int? {
        devices[index].groups.firstIndex {
            if case .inFlight(let attempt) = $0.state { attempt.request == request } else { false }
        }
    }

    private mutating func setState(_ state: MergeGroup.State, of request: UInt64, device index: Int) {
        guard let group = flight(request, device: index) else { return }
        devices[index].groups[group].state = state
    }

    private mutating func accepted(
        _ group: Int, device index: Int, at now: Moment, _ actions: inout [UserAction]
    ) {
        let sent = finish(group, device: index, .notified, .none, at: now, &actions)
        unitsAccepted(sent.tasks)
        actions.append(.saveRecord)
        // A silent wake shows nothing, and may carry no badge.
        if sent.isWake == true { return }
        // An alert never carries a 0: it leaves the badge as it is.
        if let badge = sent.builtBadge, badge.total > 0 { badgeArrived(index, badge) }
        bannerShown(sent, device: index)
    }

    /// The connection broke under a request, or its provider kept silent: the alert may be on the screen.
    private mutating func unheard(_ group: Int, device index: Int, _ actions: inout [UserAction]) {
        guard devices[index].groups[group].isWake != true else { return }
        let sent = devices[index].groups[group]
        bannerShown(sent, isSure: false, device: index)
        if let badge = sent.builtBadge, badge.total > 0 { devices[index].record.mayHave(badge) }
        actions.append(.saveRecord)
    }

    /// Ends what a group has left, and takes it out.
    @discardableResult
    private mutating func finish(
        _ group: Int, device index: Int, _ outcome: Outcome, _ reason: OutcomeReason, at now: Moment,
        _ actions: inout [UserAction]
    ) -> MergeGroup {
        var group = devices[index].groups.remove(at: group)
        for task in group.tasks.indices {
            // A push that went out is what happened; one that did not leaves what came meanwhile.
            let pending = outcome == .notified ? nil : group.tasks[task].pendingEnd
            let (outcome, reason) = pending.map { ($0.outcome, $0.reason) } ?? (outcome, reason)
            group.tasks[task].trace.append(TraceStep(at: now.wall, event: .ended(outcome, reason)))
            actions.append(
                .endTask(
                    devices[index].key, group.tasks[task].seq, outcome, reason, group.tasks[task].trace))
        }
        return group
    }

    /// What was applied or cancelled meanwhile is not tried again.
    private mutating func settlePending(
        _ group: Int, device index: Int, at now: Moment, _ actions: inout [UserAction]
    ) {
        for task in devices[index].groups[group].tasks {
            guard let pending = task.pendingEnd else { continue }
            end(task, device: index, pending.outcome, pending.reason, at: now, &actions)
        }
        devices[index].groups[group].tasks.removeAll { $0.pendingEnd != nil }
        if devices[index].groups[group].tasks.isEmpty { devices[index].groups.remove(at: group) }
    }

    private mutating func tokenDied(
        _ token: TokenKey, since: WallTime?, group: Int, device index: Int, at now: Moment,
        _ actions: inout [UserAction]
    ) {
        if policy.disabledRules.contains(.deadTokensGo) {
            finish(group, device: index, .dropped, .rejected, at: now, &actions)
            return
        }
        let registered = devices[index].tokens.first { $0.key == token }
        if let registered, let since, since < registered.registeredAt {
            // It was registered again after the provider's verdict:
            // final for this message, not for the token.
            finish(group, device: index, .dropped, .rejected, at: now, &actions)
            return
        }
        devices[index].groups[group].state = .ready
        settlePending(group, device: index, at: now, &actions)
        remove(token, device: index, .tokenDead, at: now, &actions)
    }

    private mutating func retry(
        _ group: Int, device index: Int, after: Int64?, jitter: Double, at now: Moment,
        _ actions: inout [UserAction]
    ) {
        devices[index].groups[group].attempts += 1
        let attempts = devices[index].groups[group].attempts
        guard attempts < policy.pushRetryMaxAttempts else {
            finish(group, device: index, .dropped, .attemptsExhausted, at: now, &actions)
            return
        }
        let wait = RetryBackOff.milliseconds(
            attempt: attempts, transport: transport(index), after: after, jitter)
        let before = devices[index].groups.count
        devices[index].groups[group].state = .retrying(at: now.instant + wait)
        settlePending(group, device: index, at: now, &actions)
        guard devices[index].groups.count == before else { return }
        for task in devices[index].groups[group].tasks.indices {
            devices[index].groups[group].tasks[task].trace.append(
                TraceStep(at: now.wall, event: .retrying(afterMilliseconds: wait)))
            actions.append(
                .moveTask(
                    devices[index].key, devices[index].groups[group].tasks[task].seq, .retrying,
                    dueInMilliseconds: wait, attempts: attempts))
        }
        actions += [.saveRecord, .wake(at: now.instant + wait)]
    }

    private func transport(_ index: Int) -> Transport { devices[index].alertToken?.transport ?? .apns }
}

/// What a device's turn has made.
package struct BuiltPush {
    /// Nil: nothing is left to send to this device now.
    package let draft: PushDraft?
    /// By which the outcome is settled.
    package let flight: RequestInFlight?
    package let actions: [UserAction]
}

/// Exponential back-off with full jitter: from 1 s (FCM 10 s) doubling to 60 s; `Retry-After` wins.
package enum RetryBackOff {
    package static let longestMilliseconds: Int64 = 60_000
    /// What a stored retry may still wait at most: a provider's `Retry-After` may pass the back-off's cap.
    package static let longestStoredMilliseconds: Int64 = 3_600_000

    package static func milliseconds(
        attempt: Int, transport: Transport, after: Int64?, _ jitter: Double
    ) -> Int64 {
        if let after { return max(0, after) + Int64(jitter * 1_000) }
        let first: Int64 = transport == .fcm ? 10_000 : 1_000
        let ceiling = min(longestMilliseconds, first << Int64(min(attempt - 1, 10)))
        // Full jitter, but never before the provider's own minimum for FCM.
        let floor: Int64 = transport == .fcm ? 10_000 : 0
        return max(floor, Int64(jitter * Double(ceiling)))
    }
}

extension PushTask.PendingEnd {
    var outcome: Outcome {
        switch self {
        case .applied: .applied
        case .cancelled(let reason): reason == .read || reason == .recalled ? .cancelled : .dropped
        }
    }

    var reason: OutcomeReason {
        switch self {
        case .applied: .none
        case .cancelled(let reason): reason
        }
    }
}
