/// What policy says about waking a device: when a message is materialised, and again when its push is built.
extension User {
    /// The first reason of policy that makes no task; nil: wake it.
    func suppression(
        of mention: Mention, in conversation: Conversation, device index: Int, at now: Moment
    ) -> Suppression? {
        if devices[index].tokens.alert == nil { return Suppression(.notWakeable) }
        if mention != .none { return nil }
        if conversation.isMuted, !policy.disabledRules.contains(.mutesSuppress) {
            return Suppression(.muted, .muted(until: conversation.mutedUntil))
        }
        return quiet(index, at: now)
    }

    /// Whether it is quiet for the device now, by the clock on its user's wall.
    private func quiet(_ index: Int, at now: Moment) -> Suppression? {
        guard let window = settings.quietHours, !policy.disabledRules.contains(.quietHours) else {
            return nil
        }
        let (zone, origin) = zone(device: index)
        let minute = zone.minuteOfDay(at: now.wall)
        guard window.contains(minute: minute) else { return nil }
        return Suppression(
            .quietHours, .quietHours(window, minute: minute, zone: zone.name, origin))
    }

    /// The zone that the user has set; else the one this device reported last; else the tenant's.
    private func zone(device index: Int) -> (ZoneRules, ZoneOrigin) {
        if let zone { return (zone, .user) }
        if let zone = devices[index].zone { return (zone, .device) }
        return (tenantZone, .tenant)
    }

    /// The language that a push to the device is written in: its own, else the user's.
    func locale(device index: Int) -> String? { devices[index].profile.locale ?? settings.locale }

    /// The tenant's policy changed while running: it is in force at once. A badge that it changes is shown to
    /// connected devices, and owed to the others.
    package mutating func policyChanged(
        _ policy: SharedPolicy, zone: ZoneRules, at now: Moment
    ) -> [UserAction] {
        let before = badge
        sharedPolicy = policy
        tenantZone = zone
        guard badge != before else { return [] }
        badgeMovedAt = now.instant
        var actions: [UserAction] = [.showBadge]
        owe(at: now, &actions)
        return actions
    }

    /// It is the group's turn: what is not to be sent any more ends here, with its reason.
    mutating func judgeAgain(
        _ group: Int, in conversation: Conversation, device index: Int, at now: Moment,
        _ actions: inout [UserAction]
    ) {
        // Almost always all are kept: then they stay where they are.
        let isOver = devices[index].groups[group].tasks.indices.contains {
            overdue(devices[index].groups[group].tasks[$0], conversation, device: index, at: now) != nil
        }
        guard isOver else { return }
        var kept: [PushTask] = []
        for task in devices[index].groups[group].tasks {
            guard let over = overdue(task, conversation, device: index, at: now) else {
                kept.append(task)
                continue
            }
            end(task, device: index, over.outcome, over.reason, over.step, at: now, &actions)
        }
        devices[index].groups[group].tasks = kept
    }

    private struct Overdue {
        let outcome: Outcome
        let reason: OutcomeReason
        let step: TraceStep.Event?
    }

    /// Why a task is not to be sent any more; nil: it is.
    private func overdue(
        _ task: PushTask, _ conversation: Conversation, device index: Int, at now: Moment
    ) -> Overdue? {
        let expiry = expiry(of: task)
        if expiry <= now.wall {
            return Overdue(outcome: .dropped, reason: .expired, step: .expiredAt(expiry))
        }
        if task.seq <= conversation.readSeq, !policy.disabledRules.contains(.readsRevoke) {
            return Overdue(outcome: .cancelled, reason: .read, step: .read(through: conversation.readSeq))
        }
        return suppression(of: task.mention, in: conversation, device: index, at: now).map {
            Overdue(outcome: .suppressed, reason: $0.reason, step: $0.step)
        }
    }

    func expiry(of task: PushTask) -> WallTime {
        task.message.expiresAt ?? task.materialisedAt + policy.pushTTLSeconds * 1_000
    }
}
