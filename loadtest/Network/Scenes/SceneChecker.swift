/// Whether what was seen of a scene is what PD-1 promises; each finding is one sentence.
///
/// The times are those of the server's own record and of the provider; the windows are the promise, what is
/// added to them is the slack of a machine that does other work, too.
enum SceneChecker {
    static let graceWindow: Int64 = 3_000
    static let confirmWindow: Int64 = 18_000
    /// The kernel gives a socket up 15 s after an unacknowledged write, never before.
    static let userTimeout: Int64 = 15_000
    /// How late a timer may ring here.
    static let timerSlack: Int64 = 400
    /// From due to the provider: one request, and the commit before it.
    static let providerHop: Int64 = 1_000
    /// How long a task may take to fall due after a close.
    static let atOnce: Int64 = 1_000
    /// Two readings of the wall clock may differ by so much in the wrong direction.
    private static let clockStep: Int64 = 20

    static func violations(of seen: SceneEvidence) -> [String] {
        let found =
            switch seen.expectation {
            case .dueWithinWindow: written(seen) + deadInTime(seen) + pushedOnce(seen)
            case .dueAtWindowEnd: written(seen) + windowEnd(seen) + pushedOnce(seen)
            case .dueAtGraceEnd: unwritten(seen) + graceEnd(seen) + pushedOnce(seen)
            case .dueAtClose: written(seen) + closed(seen) + pushedOnce(seen)
            case .applied: applied(seen)
            case .appliedUnwritten: unwritten(seen) + applied(seen)
            }
        return found.map { "\(seen.name): \($0)" }
    }

    // MARK: Written or not

    private static func written(_ seen: SceneEvidence) -> [String] {
        guard let writtenAt = seen.writtenAt else { return ["the record has no PUSHED"] }
        return writtenAt - seen.postedAt < graceWindow ? [] : ["PUSHED came after the grace was over"]
    }

    private static func unwritten(_ seen: SceneEvidence) -> [String] {
        seen.writtenAt == nil ? [] : ["the record has a PUSHED that could not be"]
    }

    // MARK: Due

    private static func deadInTime(_ seen: SceneEvidence) -> [String] {
        guard let writtenAt = seen.writtenAt, let due = seen.due else { return ["never due"] }
        var found: [String] = []
        let after = due.at - writtenAt
        if due.reason != "connection_closed" && due.reason != "confirm_window_over" {
            found.append("due because of \(due.reason)")
        }
        if after > confirmWindow + timerSlack { found.append("due \(after) ms after the write") }
        if after < userTimeout - timerSlack {
            found.append("due \(after) ms after the write: no socket dies so early")
        }
        return found + atProvider(seen, by: writtenAt + confirmWindow + timerSlack + providerHop)
    }

    private static func windowEnd(_ seen: SceneEvidence) -> [String] {
        guard let writtenAt = seen.writtenAt, let due = seen.due else { return ["never due"] }
        return exactly(due, "confirm_window_over", from: writtenAt, after: confirmWindow)
            + atProvider(seen, by: due.at + providerHop)
    }

    private static func graceEnd(_ seen: SceneEvidence) -> [String] {
        guard let materialisedAt = seen.materialisedAt, let due = seen.due else { return ["never due"] }
        return exactly(due, "grace_window_over", from: materialisedAt, after: graceWindow)
            + atProvider(seen, by: due.at + providerHop)
    }

    private static func exactly(_ due: SeenStep, _ reason: String, from start: Int64, after window: Int64)
        -> [String]
    {
        var found = due.reason == reason ? [] : ["due because of \(due.reason), not \(reason)"]
        let after = due.at - start
        if after < window - clockStep { found.append("due \(after) ms after its window began: too early") }
        if after > window + timerSlack { found.append("due \(after) ms after its window began: too late") }
        return found
    }

    private static func closed(_ seen: SceneEvidence) -> [String] {
        guard let closedAt = seen.closedAt, let due = seen.due else { return ["never due"] }
        var found = due.reason == "connection_closed" ? [] : ["due because of \(due.reason)"]
        let after = due.at - closedAt
        if after < -clockStep { found.append("due \(-after) ms before the close") }
        if after >= atOnce { found.append("due \(after) ms after the close") }
        return found + atProvider(seen, by: closedAt + atOnce + providerHop)
    }

    // MARK: Pushed or not

    private static func atProvider(_ seen: SceneEvidence, by limit: Int64) -> [String] {
        guard let at = seen.atProvider, at > limit else { return [] }
        return ["at the provider \(at - limit) ms too late"]
    }

    /// Never missed, and never told twice.
    private static func pushedOnce(_ seen: SceneEvidence) -> [String] {
        let accepted = seen.pushes.filter { $0.status == 200 }
        var found = seen.state == "notified" ? [] : ["missed: it ended \(word(seen.state))"]
        if accepted.isEmpty { found.append("missed: no push reached the provider") }
        if Set(accepted.map(\.apnsID)).count > 1 { found.append("pushed under several apns-ids") }
        if accepted.count > 1 { found.append("pushed \(accepted.count) times without a crash") }
        return found
    }

    private static func applied(_ seen: SceneEvidence) -> [String] {
        var found = seen.state == "applied" ? [] : ["it ended \(word(seen.state)), not applied"]
        if let appliedAt = seen.appliedAt {
            if let from = seen.appliedFrom, appliedAt < from - clockStep {
                found.append("APPLIED was recorded \(from - appliedAt) ms too early")
            }
        } else {
            found.append("the record has no APPLIED")
        }
        if let due = seen.due { found.append("due because of \(due.reason)") }
        if !seen.pushes.isEmpty { found.append("\(seen.pushes.count) pushes for an applied entry") }
        return found
    }

    private static func word(_ state: String) -> String { state.isEmpty ? "nowhere" : state }
}
