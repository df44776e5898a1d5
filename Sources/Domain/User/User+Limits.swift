/// The limits on how often a user is woken.
///
/// A message is judged once: when the first of its copies is about to be handed over. The verdict is written
/// on all copies that are open then, so that no device is favoured, and leaves with them: nothing of it
/// outlives the tasks.
extension User {
    /// A group is about to be handed over: takes one unit for what it brings that was never judged, or drops
    /// it.
    ///
    /// A group of which something was admitted before is that same unit, also with what has joined it since.
    /// Answers with the group's place, since others of the device may have given way; nil: it was dropped.
    mutating func takeUnit(
        _ group: Int, device index: Int, at now: Moment, _ actions: inout [UserAction]
    ) -> Int? {
        let seqs = devices[index].groups[group].tasks.unjudged
        guard let first = seqs.first else { return group }
        if let unit = devices[index].groups[group].tasks.unit {
            rateWindow.raise(unit, to: devices[index].groups[group].priority)
            admit(seqs, unit, .joinedUnit, at: now)
            return group
        }
        let conversation = devices[index].groups[group].conversation
        let priority = devices[index].groups[group].priority
        rateWindow.forget(before: now.instant)
        var standing = rateWindow.standing(of: conversation, policy)
        while priority == .mention, let limit = standing.limitReached(by: priority),
            giveWay(limit == .conversation ? conversation : nil, to: first, at: now, &actions)
        {
            standing = rateWindow.standing(of: conversation, policy)
        }
        let limit = standing.limitReached(by: priority)
        if limit != nil, !policy.disabledRules.contains(.limitsDrop) {
            drop(seqs, .limits(standing, over: limit), at: now, &actions)
            return nil
        }
        let unit = rateWindow.take(conversation, priority, at: now.instant)
        admit(seqs, unit, .limits(standing, over: limit), at: now)
        return devices[index].groups.firstIndex { $0.tasks.contains { $0.seq == first } }
    }

    /// A provider has accepted a copy: its unit can give way to nothing any more.
    mutating func unitsAccepted(_ tasks: [PushTask]) {
        for task in tasks.indices {
            if case .admitted(let unit)? = tasks[task].verdict { rateWindow.accepted(unit) }
        }
    }

    /// A request that outlived the state is out, whatever was stored of it: it has its unit.
    mutating func countFlights(at now: Moment) {
        for device in devices.indices {
            for group in devices[device].groups where group.isInFlight {
                let seqs = group.tasks.unjudged
                guard !seqs.isEmpty else { continue }
                let unit = rateWindow.take(group.conversation, group.priority, at: now.instant)
                admit(seqs, unit, nil, at: now)
            }
        }
    }

    // MARK: - Giving way

    /// A mention takes the place of the lowest unit that was handed over to no provider so far, of those the
    /// newest.
    private mutating func giveWay(
        _ conversation: ConversationID?, to seq: MailboxSeq, at now: Moment,
        _ actions: inout [UserAction]
    ) -> Bool {
        let lower = rateWindow.units.filter {
            $0.priority != .mention && !$0.isAccepted
                && (conversation == nil || $0.conversation == conversation)
        }
        let inOrder = lower.sorted { ($0.priority, $0.number) > ($1.priority, $1.number) }
        guard let unit = inOrder.first(where: { isWaiting($0.number) })?.number else { return false }
        rateWindow.giveBack(unit)
        let seqs = Set(openTasks.filter { $0.verdict == .admitted(unit) }.map(\.seq)).sorted()
        drop(seqs, .gaveWay(to: seq), at: now, &actions)
        return true
    }

    /// Whether the unit's push waits on some device and is with a provider for none.
    private func isWaiting(_ unit: UInt32) -> Bool {
        var isOpen = false
        for device in devices {
            if device.holds.contains(where: { $0.task.verdict == .admitted(unit) }) { isOpen = true }
            for group in device.groups
            where group.tasks.contains(where: { $0.verdict == .admitted(unit) }) {
                if group.isInFlight { return false }
                isOpen = true
            }
        }
        return isOpen
    }

    private var openTasks: [PushTask] {
        devices.flatMap { $0.holds.map(\.task) + $0.groups.flatMap(\.tasks) }
    }

    // MARK: - The verdict on all copies

    private mutating func admit(
        _ seqs: [MailboxSeq], _ unit: UInt32, _ event: TraceStep.Event?, at now: Moment
    ) {
        let step = event.map { TraceStep(at: now.wall, event: $0) }
        for device in devices.indices {
            devices[device].changeTasks(seqs) {
                $0.verdict = .admitted(unit)
                if let step { $0.trace.append(step) }
            }
        }
    }

    /// Copies that are due end now, on every device; a hold may still be saved by its evidence, and ends when
    /// it falls due.
    private mutating func drop(
        _ seqs: [MailboxSeq], _ event: TraceStep.Event, at now: Moment, _ actions: inout [UserAction]
    ) {
        var isRemembered = false
        for device in devices.indices {
            devices[device].changeTasks(seqs) {
                $0.verdict = .dropped
                $0.trace.append(TraceStep(at: now.wall, event: event))
            }
            let ended = devices[device].takeDropped(seqs)
            for task in ended { end(task, device: device, .dropped, .rateLimited, at: now, &actions) }
            if devices[device].holds.contains(where: { $0.task.verdict == .dropped }) {
                isRemembered = true
            }
        }
        if isRemembered { actions.append(.saveRecord) }
    }
}

extension Device {
    /// The tasks of some entries, in holds and in groups.
    ///
    /// - Precondition: the seqs ascend, here and below.
    fileprivate mutating func changeTasks(_ seqs: [MailboxSeq], _ change: (inout PushTask) -> Void) {
        guard let first = seqs.first, let last = seqs.last else { return }
        for hold in holds.indices where (first...last).contains(holds[hold].task.seq) {
            if seqs.has(holds[hold].task.seq) { change(&holds[hold].task) }
        }
        for group in groups.indices where groups[group].tasks.mayHave(first...last) {
            for task in groups[group].tasks.indices where seqs.has(groups[group].tasks[task].seq) {
                change(&groups[group].tasks[task])
            }
        }
    }

    /// Takes those out of the groups; none of them is with a provider.
    fileprivate mutating func takeDropped(_ seqs: [MailboxSeq]) -> [PushTask] {
        guard let first = seqs.first, let last = seqs.last else { return [] }
        var taken: [PushTask] = []
        for group in groups.indices where groups[group].tasks.mayHave(first...last) {
            taken += groups[group].tasks.filter { seqs.has($0.seq) }
            groups[group].tasks.removeAll { seqs.has($0.seq) }
        }
        if !taken.isEmpty { groups.removeAll { $0.tasks.isEmpty } }
        return taken
    }
}

// Of a group's tasks, not of the group: that would be copied for each question.

extension [PushTask] {
    /// The entries that the limits have said nothing about.
    fileprivate var unjudged: [MailboxSeq] {
        var seqs: [MailboxSeq] = []
        for task in indices where self[task].verdict == nil { seqs.append(self[task].seq) }
        return seqs
    }

    /// The unit by which the first of it was admitted; nil: nothing was.
    fileprivate var unit: UInt32? {
        for task in indices {
            if case .admitted(let unit)? = self[task].verdict { return unit }
        }
        return nil
    }

    fileprivate func mayHave(_ range: ClosedRange<MailboxSeq>) -> Bool {
        guard !isEmpty else { return false }
        return range.overlaps(self[0].seq...self[count - 1].seq)
    }
}

extension [MailboxSeq] {
    /// Whether an ascending array has a seq.
    fileprivate func has(_ seq: MailboxSeq) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < seq { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == seq
    }
}
