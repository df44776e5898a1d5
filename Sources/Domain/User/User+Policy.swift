/// What policy says about waking a device: when a message is materialised, and again when its push is built.
extension User {
    /// The first reason of policy that makes no task; nil: wake it.
    func suppression(
        of mention: Mention, in conversation: Conversation, device: Device, at now: Moment
    ) -> Suppression? {
        if !device.isWakeable { return Suppression(.notWakeable) }
        if mention != .none { return nil }
        if conversation.isMuted, !policy.disabledRules.contains(.mutesSuppress) {
            return Suppression(.muted, .muted(until: conversation.mutedUntil))
        }
        return quiet(device, at: now)
    }

    /// Whether it is quiet for the device now, by the clock on its user's wall.
    private func quiet(_ device: Device, at now: Moment) -> Suppression? {
        guard let window = settings.quietHours, !policy.disabledRules.contains(.quietHours) else {
            return nil
        }
        let (zone, origin) = zone(for: device)
        let minute = zone.minuteOfDay(at: now.wall)
        guard window.contains(minute: minute) else { return nil }
        return Suppression(
            .quietHours, .quietHours(window, minute: minute, zone: zone.name, origin))
    }

    /// The zone that the user has set; else the one this device reported last; else the tenant's.
    private func zone(for device: Device) -> (ZoneRules, ZoneOrigin) {
        if let zone { return (zone, .user) }
        if let zone = device.zone { return (zone, .device) }
        return (tenantZone, .tenant)
    }

    /// The language that a push to the device is written in: its own, else the user's.
    func locale(for device: Device) -> String? { device.profile.locale ?? settings.locale }

    /// The tenant's policy changed while running: it is in force at once. A badge that it changes is shown to
    /// connected devices, and owed to the others.
    package mutating func policyChanged(
        _ policy: SharedPolicy, zone: ZoneRules, at now: Moment
    ) -> [UserAction] {
        let before = badge
        sharedPolicy = policy
        tenantZone = zone
        guard badge != before else { return [] }
        var actions: [UserAction] = [.showBadge]
        owe(at: now, &actions)
        return actions
    }

    /// It is the group's turn: what is not to be sent any more ends here, with its reason.
    mutating func judgeAgain(
        _ group: Int, device index: Int, at now: Moment, _ actions: inout [UserAction]
    ) {
        let conversation = conversations[devices[index].groups[group].conversation]
        var kept: [PushTask] = []
        for task in devices[index].groups[group].tasks {
            let expiry = expiry(of: task)
            if expiry <= now.wall {
                end(task, device: index, .dropped, .expired, .expiredAt(expiry), at: now, &actions)
            } else if task.seq <= conversation.readSeq, !policy.disabledRules.contains(.readsRevoke) {
                let step = TraceStep.Event.read(through: conversation.readSeq)
                end(task, device: index, .cancelled, .read, step, at: now, &actions)
            } else if let found = suppression(
                of: task.mention, in: conversation, device: devices[index], at: now)
            {
                end(task, device: index, .suppressed, found.reason, found.step, at: now, &actions)
            } else {
                kept.append(task)
            }
        }
        devices[index].groups[group].tasks = kept
    }

    func expiry(of task: PushTask) -> WallTime {
        task.message.expiresAt ?? task.materialisedAt + policy.pushTTLSeconds * 1_000
    }
}
