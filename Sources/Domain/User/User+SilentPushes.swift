/// A push that shows nothing: what a device is told of what it must no longer show.
package struct SilentFlight: Equatable, Sendable {
    package let attempt: PushAttempt
    let kind: PushKind
    /// The conversations it covers.
    let covers: [ConversationID]
    /// The badge it carries, of the state it was built from.
    let badge: GivenBadge
}

/// Covers and badge-only pushes between being owed and their outcome. They spend no units of any limit, have
/// no task, and are judged anew at each try: what is owed follows from the state.
extension User {
    /// Whether something silent may go to the device now.
    func hasSilentPush(_ index: Int) -> Bool {
        guard devices[index].silentRetryAt == nil else { return false }
        return devices[index].isBadgeReady || !owedCovers(index).isEmpty
    }

    mutating func silentTimesPassed(_ index: Int, to now: Moment) {
        if let at = devices[index].silentRetryAt, at <= now.instant { devices[index].silentRetryAt = nil }
        if let at = devices[index].badgeDueAt, at <= now.instant { devices[index].isBadgeReady = true }
    }

    /// The silent push of this moment, with the provider from now on; nil: none is owed any more.
    mutating func buildSilent(_ index: Int, _ token: TokenDigest, request: UInt64, at now: Moment)
        -> PushDraft?
    {
        guard devices[index].silentRetryAt == nil, takesSilentPushes(index) else { return nil }
        var content: PushDraft.Content?
        var covers: [ConversationID] = []
        if let draft = coverDraft(index) {
            content = .cover(draft)
            covers = owedCovers(index).filter { $0.entries.isEmpty }.map(\.conversation)
            if draft.rendered != nil { covers.append(draft.conversation) }
        } else if devices[index].isBadgeReady {
            content = .badge
        }
        guard let content else { return nil }
        let draft = draft(content, device: index, token, expiresAt: now.wall + policy.pushTTLSeconds * 1_000)
        devices[index].silentFlight = SilentFlight(
            attempt: PushAttempt(request: request, token: token.key), kind: draft.kind, covers: covers,
            badge: GivenBadge(total: draft.badge, revision: draft.badgeRevision))
        return draft
    }

    /// The provider's answer to the silent push that is with it.
    mutating func silentAnswered(
        _ flight: SilentFlight, device index: Int, _ verdict: PushVerdict, jitter: Double, at now: Moment,
        _ actions: inout [UserAction]
    ) {
        devices[index].silentFlight = nil
        switch verdict {
        case .accepted:
            devices[index].record.cover(flight.covers, through: flight.badge.revision)
            devices[index].coverAttempts = 0
            badgeGiven(index, flight.badge, &actions)
            if flight.kind == .badge { badgePushed(index, at: now) }
            actions += [.saveRecord, .countSilentPush(flight.kind, isSent: true)]
        case .channelFault: break
        case .tokenDead(let since): silentTokenDied(flight, since, device: index, at: now, &actions)
        case .retry(let after) where flight.kind == .cover:
            coverFailed(flight, device: index, after: after, jitter: jitter, at: now, &actions)
        case .retry, .rejected:
            if flight.kind == .badge { badgePushed(index, at: now) }
            giveUp(flight, device: index, &actions)
        }
    }

    /// The next waits longer, whatever became of this one.
    private mutating func badgePushed(_ index: Int, at now: Moment) {
        devices[index].record.badgePushes += 1
        devices[index].badgePushedAt = now.instant
        devices[index].badgeDueAt = nil
        devices[index].isBadgeReady = false
    }

    private mutating func coverFailed(
        _ flight: SilentFlight, device index: Int, after: Int64?, jitter: Double, at now: Moment,
        _ actions: inout [UserAction]
    ) {
        devices[index].coverAttempts += 1
        let attempts = devices[index].coverAttempts
        guard attempts < policy.pushRetryMaxAttempts, let token = devices[index].alertToken else {
            return giveUp(flight, device: index, &actions)
        }
        let wait = RetryBackOff.milliseconds(
            attempt: attempts, transport: token.transport, after: after, jitter)
        devices[index].silentRetryAt = now.instant + wait
        actions.append(.wake(at: now.instant + wait))
    }

    /// The provider will not have it: what it was about is no longer owed.
    private mutating func giveUp(_ flight: SilentFlight, device index: Int, _ actions: inout [UserAction]) {
        devices[index].record.cover(flight.covers, through: flight.badge.revision)
        devices[index].coverAttempts = 0
        actions += [.saveRecord, .countSilentPush(flight.kind, isSent: false)]
    }

    private mutating func silentTokenDied(
        _ flight: SilentFlight, _ since: WallTime?, device index: Int, at now: Moment,
        _ actions: inout [UserAction]
    ) {
        let token = devices[index].tokens.first { $0.key == flight.attempt.token }
        let isOld = token.flatMap { token in since.map { $0 < token.registeredAt } } ?? false
        if isOld || policy.disabledRules.contains(.deadTokensGo) {
            return giveUp(flight, device: index, &actions)
        }
        actions.append(.countSilentPush(flight.kind, isSent: false))
        remove(flight.attempt.token, device: index, .tokenDead, at: now, &actions)
    }
}
