/// The life of a task between its making and its hand-over.
extension User {
    /// Time passed: holds run out, merge windows close, retries come up.
    package mutating func timePassed(to now: Moment) -> [UserAction] {
        var actions = endMutes(at: now)
        passCalls(to: now, &actions)
        for index in devices.indices {
            runOutHolds(index, at: now, &actions)
            for group in devices[index].groups.indices {
                switch devices[index].groups[group].state {
                case .merging(let at) where at <= now.instant, .retrying(let at) where at <= now.instant:
                    devices[index].groups[group].state = .ready
                    queueIfReady(index, newly: devices[index].groups[group].priority, &actions)
                default: break
                }
            }
            silentTimesPassed(index, to: now)
        }
        owe(at: now, &actions)
        if let next = nextDeadline { actions.append(.wake(at: next)) }
        return actions
    }

    private mutating func runOutHolds(_ index: Int, at now: Moment, _ actions: inout [UserAction]) {
        guard devices[index].holds.contains(where: { $0.until <= now.instant }) else { return }
        let over = devices[index].holds.filter { $0.until <= now.instant }
        devices[index].holds.removeAll { $0.until <= now.instant }
        for hold in over {
            let reason: DueReason = hold.isExtended ? .confirmWindowOver : .graceWindowOver
            fallDue(hold.task, device: index, reason, at: now, &actions)
        }
    }

    /// Holds of a device whose evidence can no longer come.
    mutating func releaseHolds(
        _ index: Int, _ reason: DueReason, at now: Moment, _ actions: inout [UserAction]
    ) {
        let holds = devices[index].holds
        devices[index].holds = []
        for hold in holds { fallDue(hold.task, device: index, reason, at: now, &actions) }
    }

    /// A task falls due: into the open group of its conversation, or into one of its own.
    mutating func fallDue(
        _ task: consuming PushTask, device index: Int, _ reason: DueReason, at now: Moment,
        _ actions: inout [UserAction]
    ) {
        task.trace.append(TraceStep(at: now.wall, event: .due(reason)))
        // The limits have said so of another copy, while this one was held.
        if task.verdict == .dropped {
            return end(task, device: index, .dropped, .rateLimited, at: now, &actions)
        }
        let window = policy.pushMergeWindow
        let conversation = task.message.conversation.id
        if window > 0, let open = openGroup(of: conversation, device: index) {
            let priority = task.priority
            if case .merging(let closes) = devices[index].groups[open].state {
                let left = max(0, closes - now.instant)
                task.trace.append(TraceStep(at: now.wall, event: .merging(milliseconds: left)))
            }
            devices[index].groups[open].insert(task)
            if devices[index].groups[open].isReady { queueIfReady(index, newly: priority, &actions) }
            return
        }
        var state = MergeGroup.State.ready
        if window > 0 && reason != .recovered {
            let closes = now.instant + window
            task.trace.append(TraceStep(at: now.wall, event: .merging(milliseconds: window)))
            state = .merging(closes: closes)
            actions.append(.wake(at: closes))
        }
        let priority = task.priority
        devices[index].groups.append(MergeGroup(conversation: conversation, tasks: [task], state: state))
        if state == .ready { queueIfReady(index, newly: priority, &actions) }
    }

    private func openGroup(of conversation: ConversationID, device index: Int) -> Int? {
        devices[index].groups.firstIndex {
            guard $0.conversation == conversation else { return false }
            switch $0.state {
            case .merging, .ready: return true
            case .inFlight, .retrying: return false
            }
        }
    }

    /// At most one request per token is in flight; the next is built after its outcome.
    ///
    /// A device that waits already is queued once more for what must go sooner, or on another channel; the
    /// place that it leaves behind finds nothing to send when its turn comes.
    ///
    /// - Parameter newly: of what has just become ready: a device that waits has seen to all else. `.mention`
    ///   where that is not known.
    mutating func queueIfReady(
        _ index: Int, newly: PushPriority? = nil, _ actions: inout [UserAction]
    ) {
        // Asked of every device at each event: most have nothing to send.
        guard let priority = nextPriority(index), !isInFlight(index), let token = devices[index].tokens.alert
        else { return }
        if let waiting = devices[index].places.priority(onChannelOf: token) {
            guard let newly, newly < waiting, priority < waiting else { return }
        }
        devices[index].places.append(QueuePlace(token, priority))
        actions.append(.queue(devices[index].key, token, priority))
    }

    /// Of what the device has to send; nil: nothing.
    private func nextPriority(_ index: Int) -> PushPriority? {
        if let group = devices[index].groups.nextReady { return devices[index].groups[group].priority }
        return hasSilentPush(index) ? .largeGroup : nil
    }

    /// Ends every task of the device up to a seq that is not with the provider; the others are settled with
    /// their outcome.
    mutating func endTasks(
        _ index: Int, where isMeant: (PushTask) -> Bool, _ outcome: Outcome, _ reason: OutcomeReason,
        _ step: TraceStep.Event?, at now: Moment, _ actions: inout [UserAction]
    ) {
        var ended: [PushTask] = []
        devices[index].holds.removeAll {
            guard isMeant($0.task) else { return false }
            ended.append($0.task)
            return true
        }
        for group in devices[index].groups.indices {
            if case .inFlight = devices[index].groups[group].state {
                for task in devices[index].groups[group].tasks.indices
                where isMeant(devices[index].groups[group].tasks[task]) {
                    devices[index].groups[group].tasks[task].settle(outcome, reason, step, at: now)
                }
                continue
            }
            devices[index].groups[group].tasks.removeAll {
                guard isMeant($0) else { return false }
                ended.append($0)
                return true
            }
        }
        devices[index].groups.removeAll { $0.tasks.isEmpty }
        for task in ended { end(task, device: index, outcome, reason, step, at: now, &actions) }
    }

    func end(
        _ task: PushTask, device index: Int, _ outcome: Outcome, _ reason: OutcomeReason,
        _ step: TraceStep.Event? = nil, at now: Moment, _ actions: inout [UserAction]
    ) {
        var trace = task.trace
        if let step { trace.append(TraceStep(at: now.wall, event: step)) }
        trace.append(TraceStep(at: now.wall, event: .ended(outcome, reason)))
        actions.append(.endTask(devices[index].key, task.seq, outcome, reason, trace))
    }
}

extension PushTask {
    /// Evidence while the request is with the provider: kept until its outcome.
    mutating func settle(
        _ outcome: Outcome, _ reason: OutcomeReason, _ step: TraceStep.Event?, at now: Moment
    ) {
        guard pendingEnd == nil else { return }
        pendingEnd = outcome == .applied ? .applied : .cancelled(reason)
        if let step { trace.append(TraceStep(at: now.wall, event: step)) }
    }
}
