/// Open tasks read back from the store: after a crash, a
/// take-over, a drain, or a commit whose outcome is unknown.
extension User {
    package struct RecoveredTask: Sendable {
        package let device: DeviceKey
        package internal(set) var task: PushTask
        package let attempts: Int
        package let state: State
        /// Its message was taken back while a request for it was with the provider.
        package let isRecalled: Bool

        package init(
            device: DeviceKey, task: PushTask, attempts: Int, state: State, isRecalled: Bool = false
        ) {
            self.device = device
            self.task = task
            self.attempts = attempts
            self.state = state
            self.isRecalled = isRecalled
        }

        package enum State: Equatable, Sendable {
            /// Due before, or held for a connection that is gone: a crash is a close.
            case due
            /// Held for a connection that lives on, or by a drain.
            case held(until: Instant, isExtended: Bool)
            case retrying(at: Instant)
            /// Its request is still with the provider, or its report has not been recorded.
            case inFlight(RequestInFlight)
        }
    }

    /// A connection that outlived the state: its device is online, and catches up from what was written last.
    package mutating func reattached(
        _ device: DeviceID, _ presence: Presence, through pushedSeq: MailboxSeq
    ) {
        guard let index = index(device) else { return }
        devices[index].presence = presence
        devices[index].presence?.pushedSeq = pushedSeq
        let applied = devices[index].appliedSeq
        devices[index].presence?.appliedSeq = applied
        devices[index].presence?.isLive = false
    }

    /// - Precondition: ascending by seq. Whatever the store said, no deadline lies later than now plus the
    ///   longest wait of its kind: the clock may have moved.
    package mutating func recovered(_ tasks: [RecoveredTask], at now: Moment) -> [UserAction] {
        var actions: [UserAction] = []
        for var recovered in tasks {
            guard let index = index(recovered.device) else { continue }
            recovered.task.verdict = restoredVerdicts[recovered.task.seq]
            guard devices[index].isWakeable else {
                end(recovered.task, device: index, .dropped, .notWakeable, at: now, &actions)
                continue
            }
            recover(recovered, device: index, at: now, &actions)
        }
        restoredVerdicts = [:]
        countFlights(at: now)
        if let next = nextDeadline { actions.append(.wake(at: next)) }
        return actions
    }

    private mutating func recover(
        _ recovered: RecoveredTask, device index: Int, at now: Moment, _ actions: inout [UserAction]
    ) {
        switch recovered.state {
        case .due, .held, .retrying:
            if endUnheard(recovered, device: index, at: now, &actions) { return }
        case .inFlight: break
        }
        switch recovered.state {
        case .due:
            fallDue(recovered.task, device: index, .recovered, at: now, &actions)
        case .held(let until, let isExtended):
            let latest = now.instant + policy.pushConfirmExtendedWindow
            devices[index].holds.append(
                Hold(task: recovered.task, until: min(until, latest), isExtended: isExtended))
        case .retrying(let at):
            let latest = now.instant + RetryBackOff.longestStoredMilliseconds
            retryAgain(recovered, at: min(at, latest), device: index)
        case .inFlight(let request):
            flyOn(recovered, request, device: index)
        }
    }

    /// A task that is open although its message was read, recalled or applied was with its provider at that
    /// time, else it had ended with that: nobody heard the answer, and it may be on the screen.
    private mutating func endUnheard(
        _ recovered: RecoveredTask, device index: Int, at now: Moment, _ actions: inout [UserAction]
    ) -> Bool {
        let task = recovered.task
        let read = conversations[task.message.conversation.id].readSeq
        let applied = devices[index].appliedSeq
        if recovered.isRecalled {
            end(task, device: index, .cancelled, .recalled, at: now, &actions)
        } else if task.seq <= read, !policy.disabledRules.contains(.readsRevoke) {
            end(task, device: index, .cancelled, .read, .read(through: read), at: now, &actions)
        } else if task.seq <= applied {
            end(task, device: index, .applied, .none, .applied(through: applied), at: now, &actions)
        } else {
            return false
        }
        let isOvertaken = recovered.isRecalled || task.seq <= read
        // A silent wake shows nothing, which a cover must not bring up; one too many clears nothing.
        if isOvertaken || !task.message.wantsWake {
            devices[index].record.mayShow(task, overtakenBy: isOvertaken ? head : nil)
            actions.append(.saveRecord)
        }
        return true
    }

    /// What was read, recalled or applied meanwhile is settled with the outcome, as if the state had lasted.
    private mutating func flyOn(_ recovered: RecoveredTask, _ request: RequestInFlight, device index: Int) {
        var task = recovered.task
        let isRead = task.seq <= conversations[task.message.conversation.id].readSeq
        if isRead || recovered.isRecalled {
            task.overtaken = .elsewhere
            task.pendingEnd = .cancelled(isRead ? .read : .recalled)
        } else if task.seq <= devices[index].appliedSeq {
            task.pendingEnd = .applied
        }
        if let group = devices[index].groups.firstIndex(where: { $0.state == .inFlight(request.attempt) }) {
            devices[index].groups[group].insert(task)
            return
        }
        let conversation = task.message.conversation.id
        var group = MergeGroup(
            conversation: conversation, tasks: [task], state: .inFlight(request.attempt))
        group.attempts = recovered.attempts
        group.builtSeq = request.builtSeq
        group.builtBadge = request.builtBadge
        group.isWake = request.isWake
        devices[index].groups.append(group)
    }

    private mutating func retryAgain(_ recovered: RecoveredTask, at instant: Instant, device index: Int) {
        let conversation = recovered.task.message.conversation.id
        if policy.pushMergeWindow > 0,
            let group = devices[index].groups.firstIndex(where: {
                guard case .retrying = $0.state else { return false }
                return $0.conversation == conversation
            })
        {
            devices[index].groups[group].insert(recovered.task)
            return
        }
        var group = MergeGroup(
            conversation: conversation, tasks: [recovered.task], state: .retrying(at: instant))
        group.attempts = recovered.attempts
        devices[index].groups.append(group)
    }
}
