/// Evidence: what a device's connection tells, and what its silence means.
extension User {
    /// A device connected. A newer connection replaces the older, which is not a close: holds keep their
    /// deadlines, and what is un-applied is written again.
    package mutating func connected(
        _ device: DeviceID, _ connection: ConnectionID, resume: Resume, at now: Moment,
        keys: inout KeyAllocator
    ) -> [UserAction] {
        var actions: [UserAction] = []
        let index = findOrAdd(device, at: now, keys: &keys, &actions)
        if let older = devices[index].presence { actions.append(.close(older.connection, .replaced)) }
        let after = replayStart(resume, device: index, connection, at: now, &actions)
        devices[index].presence = Presence(
            connection: connection, connectedAt: now.wall, welcomedAt: now.instant, replayAfter: after,
            isLive: after == head)
        let applied = devices[index].appliedSeq
        devices[index].presence?.appliedSeq = applied
        actions.append(.welcome(connection, replayAfter: after))
        seen(index, &actions)
        owe(at: now, &actions)
        if after == head { actions += pendingCalls(index) }
        return actions
    }

    /// Where the client says it stands.
    package enum Resume: Equatable, Sendable {
        /// It has applied everything up to this seq, in the mailbox it names (nil: the present one).
        case after(MailboxSeq, of: MailboxID?)
        /// It wants no history.
        case head
    }

    private mutating func replayStart(
        _ resume: Resume, device index: Int, _ connection: ConnectionID, at now: Moment,
        _ actions: inout [UserAction]
    ) -> MailboxSeq {
        switch resume {
        case .head: return head
        case .after(_, let mailbox?) where mailbox != mailboxID: return 0
        case .after(let seq, _) where seq > head:
            actions.append(.refuse(connection, .seqBeyondHead))
            return devices[index].appliedSeq
        case .after(let seq, _):
            apply(index, through: seq, at: now, &actions)
            appApplied(index, through: seq, &actions)
            return seq
        }
    }

    /// The catch-up reached the head: new entries are written as they come.
    package mutating func caughtUp(_ connection: ConnectionID) -> [UserAction] {
        guard let index = index(of: connection) else { return [] }
        devices[index].presence?.isLive = true
        return pendingCalls(index)
    }

    /// PUSHED: the socket took the bytes of every entry up to this seq. It cancels nothing: the device may be
    /// a zombie, so the hold moves once to the window in which a dead socket must show.
    package mutating func pushed(
        _ connection: ConnectionID, through seq: MailboxSeq, at now: Moment
    ) -> [UserAction] {
        guard let index = index(of: connection) else { return [] }
        guard var presence = devices[index].presence, seq > presence.pushedSeq else { return [] }
        let window = policy.pushConfirmExtendedWindow
        for hold in devices[index].holds.indices {
            let held = devices[index].holds[hold].task.seq
            guard held <= seq else { break }
            guard held > presence.replayAfter, !devices[index].holds[hold].isExtended else { continue }
            devices[index].holds[hold].extend(until: now.instant + window)
            devices[index].holds[hold].task.trace.append(
                TraceStep(at: now.wall, event: .pushed(connection)))
            devices[index].holds[hold].task.trace.append(
                TraceStep(at: now.wall, event: .extended(milliseconds: window)))
        }
        presence.pushedSeq = seq
        devices[index].presence = presence
        if policy.disabledRules.contains(.pushedIsNoProof) {
            var actions: [UserAction] = []
            endTasks(
                index, where: { $0.seq <= seq }, .cancelled, .none, .pushed(connection), at: now, &actions)
            return actions
        }
        return nextDeadline.map { [.wake(at: $0)] } ?? []
    }

    /// APPLIED: the only sufficient proof; deletes the tasks it
    /// covers in whatever state short of handed over.
    ///
    /// `isByApp`: over the device's connection; what comes over HTTP may be an extension's, beside whose work
    /// the banners stay, also while the server still believes in a connection.
    package mutating func applied(
        _ device: DeviceID, through seq: MailboxSeq, isByApp: Bool = true, at now: Moment,
        keys: inout KeyAllocator
    ) -> Result<[UserAction], UserRefusal> {
        guard seq <= head else { return .failure(.seqBeyondHead) }
        var actions: [UserAction] = []
        let index = findOrAdd(device, at: now, keys: &keys, &actions)
        apply(index, through: seq, isByApp: isByApp, at: now, &actions)
        owe(at: now, &actions)
        return .success(actions)
    }

    private mutating func apply(
        _ index: Int, through seq: MailboxSeq, isByApp: Bool = true, at now: Moment,
        _ actions: inout [UserAction]
    ) {
        if isByApp, let former = devices[index].presence?.appliedSeq {
            devices[index].presence?.appliedSeq = max(former, seq)
            appApplied(index, through: seq, &actions)
        }
        guard seq > devices[index].appliedSeq else { return }
        devices[index].appliedSeq = seq
        devices[index].profile.lastSeen = now.wall
        actions.append(.saveCursor(devices[index].key))
        endTasks(
            index, where: { $0.seq <= seq }, .applied, .none, .applied(through: seq), at: now, &actions)
    }

    /// The app itself, not an extension of it beside its banners, has applied.
    private mutating func appApplied(
        _ index: Int, through seq: MailboxSeq, _ actions: inout [UserAction]
    ) {
        if devices[index].record.appApplied(through: seq) { actions.append(.saveRecord) }
    }

    /// The device's connection ended; for how long nothing was heard on it before. A connection that was
    /// replaced before tells nothing.
    package mutating func closed(
        _ connection: ConnectionID, _ cause: CloseCause, silentFor: Int64 = 0, at now: Moment
    ) -> [UserAction] {
        guard let index = index(of: connection), let presence = devices[index].presence else { return [] }
        devices[index].presence = nil
        var actions: [UserAction] = []
        devices[index].profile.lastSeen = now.wall
        actions.append(.saveCursor(devices[index].key))
        if policy.disabledRules.contains(.closeReleasesHolds) { devices[index].holds = [] }
        badgeHeard(index, by: presence, heardAt: now.instant + -silentFor, &actions)
        if cause == .gone {
            releaseHolds(index, .connectionClosed, at: now, &actions)
            releaseCalls(index, at: now, &actions)
        }
        owe(at: now, &actions)
        return actions
    }

    /// Our own planned drain: what is held is written down with its deadline, for the successor to keep; what
    /// has fallen due lately, as due, since its row may still be a hold's; and the units of the last minute.
    package func draining(at now: Moment) -> [UserAction] {
        let counts = rateWindow.units.last.map { now.instant - $0.at < RateWindow.milliseconds } ?? false
        return (counts ? [.saveRecord] : [])
            + devices.flatMap { device in
                let held = device.holds.map { hold in
                    UserAction.moveTask(
                        device.key, hold.task.seq, .held, dueInMilliseconds: max(0, hold.until - now.instant),
                        attempts: 0)
                }
                let due = device.groups.filter(\.isUntried).flatMap(\.tasks).filter {
                    now.wall - $0.materialisedAt < policy.pushGraceWindow + policy.pushConfirmExtendedWindow
                }
                return held
                    + due.map { .moveTask(device.key, $0.seq, .due, dueInMilliseconds: 0, attempts: 0) }
            }
    }
}
