/// Silent wakes: pushes without a text, for conversations whose app fetches and decides by itself.
extension User {
    /// Decides what the group's push is, once, when it is built first; every later try is the same, unless
    /// what has joined it must be shown.
    ///
    /// A group is a silent wake if each of its messages asks for one and the device's budget has room; else
    /// it is an alert.
    mutating func isWake(_ group: Int, device index: Int, at now: Moment) -> Bool {
        // Browsers punish a push that shows nothing: theirs is always an alert.
        guard devices[index].groups[group].tasks.allSatisfy(\.message.wantsWake),
            devices[index].alertToken?.transport.carries(.wake) == true
        else {
            devices[index].groups[group].isWake = false
            return false
        }
        if let decided = devices[index].groups[group].isWake { return decided }
        let used = devices[index].wakes.used(at: now.instant)
        let isWake = used < policy.wakeBudgetPerHour
        if isWake { devices[index].wakes.spend(at: now.instant) }
        devices[index].groups[group].isWake = isWake
        let step = TraceStep(
            at: now.wall,
            event: .wakeBudget(used: used, budget: policy.wakeBudgetPerHour, isWake: isWake))
        for task in devices[index].groups[group].tasks.indices {
            devices[index].groups[group].tasks[task].trace.append(step)
        }
        return isWake
    }
}
