/// BC-1: once a user's state is quiet, every device that was ever given a badge has been given the last.
extension N6Checker {
    /// A badge that a device was given.
    struct Given: Equatable, Sendable {
        let at: Int64
        let revision: Int64
        let unread: Int64
        let isRepair: Bool
    }

    /// In the order of time. The answer to a device's own read tells it a badge, too, but puts no device
    /// under BC-1 that was never pushed to nor connected.
    static func given(_ device: Device) -> [Given] {
        let pushed = device.pushes.filter(\.isAccepted).compactMap { push -> Given? in
            guard let badge = push.rouseBadge, let revision = push.badgeRevision else { return nil }
            return Given(
                at: push.receivedAt, revision: revision, unread: badge, isRepair: push.kind == "badge")
        }
        if pushed.isEmpty && device.shown.isEmpty { return [] }
        let shown = (device.shown + device.answered).map {
            Given(
                at: $0.at, revision: $0.badge.projectionSeq, unread: $0.badge.unread, isRepair: false)
        }
        return (pushed + shown).sorted { ($0.at, $0.revision) < ($1.at, $1.revision) }
    }

    /// Since when the device knows the last number and no other; nil: it does not. A client drops what comes
    /// with a revision below one that it has seen.
    static func convergedAt(_ given: [Given], last: Int64) -> Int64? {
        var since: Int64?
        var revision: Int64 = -1
        for one in given where one.revision >= revision {
            revision = one.revision
            if one.unread != last { since = nil } else if since == nil { since = one.at }
        }
        return since
    }

    /// When BC-1 is due: at once for a device that is there; else the interval doubles with each repair while
    /// the device stays away, up to 15 minutes.
    static func bound(_ device: Device, _ given: [Given], _ user: User) -> Int64 {
        if device.isOnline { return user.quietAt }
        let away = device.left.max() ?? 0
        let repairs = given.count { $0.isRepair && $0.at > away && $0.at < user.quietAt }
        return user.quietAt + user.settle + min(user.repair << Int64(min(repairs, 20)), 900_000)
    }

    static func converged(
        _ device: Device, _ user: User, _ evidence: Evidence, _ found: inout Findings
    ) {
        let given = given(device)
        guard let newest = given.last else { return }
        let text = "the \(device.name) of \(name(user))"
        guard let since = convergedAt(given, last: user.fold.last.unread) else {
            return found.add(
                "a device was never given the last badge",
                "\(text): \(newest.unread) at seq \(newest.revision), \(user.fold.last.unread) are unread")
        }
        let late = since - bound(device, given, user)
        if late > evidence.repairSlack {
            found.add("a device was given the last badge too late", "\(text): \(late) ms after the bound")
        }
    }
}
