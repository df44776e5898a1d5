/// BC-1: once a user's state is quiet, every device that was ever given a badge has been given
/// `total_unread`.
///
/// Each push carries the badge of its moment, and a connection is told each change. What is left are devices
/// that are away while the number moves without a push to them: they are given it by a badge-only push, after
/// `badge_settle_window`, and the more of these go unseen, the longer apart.
extension User {
    /// Judges anew what each device is owed: the end of every event that may have moved the badge, a banner,
    /// a task or a connection.
    mutating func owe(at now: Moment, _ actions: inout [UserAction]) {
        for index in devices.indices { owe(index, at: now, &actions) }
        let isOwed = devices.indices.contains { wouldBeOwed($0) }
        guard isOwed != isOwedStored else { return }
        isOwedStored = isOwed
        actions.append(.saveRecord)
    }

    private mutating func owe(_ index: Int, at now: Moment, _ actions: inout [UserAction]) {
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
        let device = devices[index]
        guard device.takesSilentPushes else { return false }
        if device.record.hasStaleBanner { return true }
        guard let given = device.record.badge, given.total != badge.totalUnread else { return false }
        return !device.hasOpenTasks
    }

    /// Whether nothing on its way, or told on a connection, brings the device its badge.
    private func owesBadge(_ index: Int) -> Bool {
        let device = devices[index]
        guard let given = device.record.badge, given.total != badge.totalUnread else { return false }
        return device.presence == nil && device.takesSilentPushes && !device.hasOpenTasks
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
        badgeGiven(index, GivenBadge(total: badge.totalUnread, revision: badge.projectionSeq), &actions)
    }

    mutating func badgeGiven(_ index: Int, _ given: GivenBadge, _ actions: inout [UserAction]) {
        guard devices[index].record.badge?.total != given.total else { return }
        devices[index].record.badge = given
        actions.append(.saveRecord)
    }

    /// A connection of the device ends: what it was told there counts, if it has applied the entry that moved
    /// the badge, and had the time in which BADGE_UPDATE is told.
    mutating func badgeTold(
        _ index: Int, appliedThrough seq: MailboxSeq, at now: Moment, _ actions: inout [UserAction]
    ) {
        guard devices[index].record.badge != nil, seq >= badge.projectionSeq,
            now.instant - badgeMovedAt >= policy.sessionDeltaMergeWindow + Self.tellingMargin
        else { return }
        badgeGiven(index, &actions)
    }

    /// From the end of the merge window until the frame is in the socket.
    private static let tellingMargin: Int64 = 300
}
