/// BC-1: once a user's state is quiet, every device that was ever given a badge has been given
/// `total_unread`.
///
/// Each push carries the badge of its moment, and a connection is told each change. What is left are devices
/// that are away while the number moves without a push to them, and those whose connection ended before it
/// was sure that they had heard: they are given it by a badge-only push, after `badge_settle_window`, and the
/// more of these go unseen, the longer apart.
extension User {
    /// Judges anew what each device is owed: the end of every event that may have moved the badge, a banner,
    /// a task or a connection.
    mutating func owe(at now: Moment, _ actions: inout [UserAction]) {
        var isOwed = false
        for index in devices.indices {
            owe(index, at: now, &actions)
            if wouldBeOwed(index) { isOwed = true }
        }
        guard isOwed != self.isOwed else { return }
        self.isOwed = isOwed
        actions.append(.saveRecord)
    }

    private mutating func owe(_ index: Int, at now: Moment, _ actions: inout [UserAction]) {
        if devices[index].isConnected { badgeTold(index, &actions) }
        if owesBadge(index) {
            if devices[index].badgeDueAt == nil {
                let due = badgeDue(index, at: now)
                devices[index].badgeDueAt = due
                actions.append(.wake(at: due))
            }
        } else {
            devices[index].badgeDueAt = nil
            devices[index].isBadgeReady = false
        }
        queueIfReady(index, &actions)
    }

    /// Whether the device would be owed something if its connection were lost: then it must be known after a
    /// crash.
    private func wouldBeOwed(_ index: Int) -> Bool {
        guard takesSilentPushes(index) else { return false }
        if devices[index].record.banners.hasStale { return true }
        return isBadgeWrong(index) && !hasOpenTasks(index)
    }

    /// Whether nothing on its way, or told on a connection, brings the device its badge.
    private func owesBadge(_ index: Int) -> Bool {
        !devices[index].isConnected && !hasOpenTasks(index) && isBadgeWrong(index)
            && takesSilentPushes(index)
    }

    // Asked of the fields at each event: a device by itself would be copied for it.

    func isInFlight(_ index: Int) -> Bool {
        devices[index].hasSilentFlight || devices[index].groups.hasFlight
    }

    func takesSilentPushes(_ index: Int) -> Bool {
        devices[index].tokens.alert?.transport.takesSilentPushes == true
    }

    private func hasOpenTasks(_ index: Int) -> Bool {
        !devices[index].groups.isEmpty || !devices[index].holds.isEmpty
    }

    /// Whether the device may show another number than this moment's.
    private func isBadgeWrong(_ index: Int) -> Bool {
        devices[index].record.wasBadged && !devices[index].record.surelyHas(badge.totalUnread)
    }

    private func badgeDue(_ index: Int, at now: Moment) -> Instant {
        let settled = now.instant + policy.badgeSettleWindow
        guard let last = devices[index].badgePushedAt else { return settled }
        return max(settled, last + repairInterval(after: devices[index].record.badgePushes))
    }

    /// After a restart devices come back by themselves: those that do are not pushed to.
    mutating func resumeOwing(at now: Moment, _ actions: inout [UserAction]) {
        for index in devices.indices where owesBadge(index) {
            let due =
                now.instant + policy.badgeSettleWindow
                + repairInterval(after: devices[index].record.badgePushes)
            devices[index].badgeDueAt = due
            actions.append(.wake(at: due))
        }
        owe(at: now, &actions)
    }

    /// 30 s, doubling to 15 min while the device stays away.
    private func repairInterval(after pushes: Int) -> Int64 {
        let doublings = Int64(max(0, min(pushes - 1, 20)))
        return min(
            policy.badgeRepairInterval << doublings,
            max(Self.longestRepairInterval, policy.badgeRepairInterval))
    }

    package static let longestRepairInterval: Int64 = 900_000

    /// The device is here: how often it was pushed to in vain counts no more.
    mutating func seen(_ index: Int, _ actions: inout [UserAction]) {
        guard devices[index].record.badgePushes > 0 else { return }
        devices[index].record.badgePushes = 0
        devices[index].badgePushedAt = nil
        actions.append(.saveRecord)
    }

    /// The device has this moment's badge.
    mutating func badgeGiven(_ index: Int, _ actions: inout [UserAction]) {
        devices[index].badgeToldThrough = badge.projectionSeq
        badgeGiven(index, GivenBadge(total: badge.totalUnread, revision: badge.projectionSeq), &actions)
    }

    mutating func badgeGiven(_ index: Int, _ given: GivenBadge, _ actions: inout [UserAction]) {
        if badgeArrived(index, given) { actions.append(.saveRecord) }
    }

    /// A push brought the device a badge; whether its record changed. If a connection may have told a newer
    /// state meanwhile, it is open which of the two it shows.
    @discardableResult
    mutating func badgeArrived(_ index: Int, _ given: GivenBadge) -> Bool {
        guard !devices[index].record.surelyHas(given.total) else { return false }
        if given.revision >= devices[index].badgeToldThrough {
            devices[index].record.badge = given
            devices[index].record.isBadgeDoubtful = false
        } else {
            guard !devices[index].record.isBadgeDoubtful else { return false }
            devices[index].record.isBadgeDoubtful = true
        }
        return true
    }

    /// The device's connection tells it this moment's badge, by AUTH_OK or BADGE_UPDATE: until it is heard
    /// again, the number before may be the one that it shows.
    private mutating func badgeTold(_ index: Int, _ actions: inout [UserAction]) {
        devices[index].badgeToldThrough = badge.projectionSeq
        let record = devices[index].record
        guard !record.surelyHas(badge.totalUnread), !record.isBadgeDoubtful else { return }
        // Where there never was a number, and there is none now, the device shows none in any case.
        if record.badge == nil, badge.totalUnread == 0 { return badgeGiven(index, &actions) }
        devices[index].record.isBadgeDoubtful = true
        actions.append(.saveRecord)
    }

    /// A connection of the device ends, on which it was heard last at `heardAt`: it has the badge, if it has
    /// applied the entry that moved it, and was heard after it had been told.
    mutating func badgeHeard(
        _ index: Int, by presence: Presence, heardAt: Instant, _ actions: inout [UserAction]
    ) {
        let moved = max(badgeMovedAt, presence.welcomedAt)
        guard devices[index].record.wasBadged, presence.appliedSeq >= badge.projectionSeq,
            heardAt - moved >= policy.sessionDeltaMergeWindow + Self.tellingMargin
        else { return }
        badgeGiven(index, &actions)
    }

    /// From the end of the merge window until the frame has reached the device.
    private static let tellingMargin: Int64 = 300
}
