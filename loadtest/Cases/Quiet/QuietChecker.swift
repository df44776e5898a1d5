/// What must hold of quiet hours: inside the user's window only mentions push, all is unread as ever. Pure.
enum QuietChecker {
    /// A message to a user, and what was seen right after it.
    struct Step: Equatable, Sendable {
        var message = 0
        var mentions = false
        /// The devices for which it was quiet, by the harness's own clock.
        var quiet: Set<String> = []
        /// Those in its answer.
        var tasks = 0
        var badge = ShownBadge(unread: 0, projectionSeq: 0)

        func isDue(at device: String) -> Bool { mentions || !quiet.contains(device) }
    }

    struct User: Sendable {
        var number = 0
        /// All offline.
        var devices: [String] = []
        var steps: [Step] = []
        /// By device.
        var pushes: [String: [ReceivedPush]] = [:]
    }

    struct Evidence: Sendable {
        var users: [User] = []
        /// A message and a mention that wait in one merge window when the user's quiet hours begin.
        var waiting: [N3Checker.Waiting] = []
        /// Over all steps, the waiting ones left out.
        var counts = PushCounts()
        /// What is told of some plain messages inside the window.
        var explained: [ShownOutcome?] = []
    }

    static func findings(_ evidence: Evidence) -> Findings {
        var found = Findings()
        for user in evidence.users {
            steps(user, &found)
            for device in user.devices { pushes(user, device, &found) }
        }
        for one in evidence.waiting {
            one.judge("what waited when quiet hours began", by: "quiet_hours", &found)
        }
        counts(evidence, &found)
        for outcome in evidence.explained where !isExplained(outcome) {
            found.add(
                "a plain message in quiet hours is not explained by them",
                "\(outcome?.state ?? "nothing"), \(outcome?.reason ?? "")")
        }
        return found
    }

    private static func isExplained(_ outcome: ShownOutcome?) -> Bool {
        outcome?.state == "suppressed" && outcome?.reason == "quiet_hours"
            && outcome?.steps.contains("quiet_hours") == true
    }

    private static func steps(_ user: User, _ found: inout Findings) {
        var mentions: Int64 = 0
        for (index, step) in user.steps.enumerated() {
            let text = "\(RequestTemplate.messageID(step.message)) of \(LoadTenant.user(user.number))"
            let due = user.devices.count { step.isDue(at: $0) }
            if step.tasks != due {
                let kind =
                    step.tasks > due
                    ? "a message in quiet hours made a task" : "a message did not make its tasks"
                found.add(kind, "\(text): \(step.tasks) instead of \(due)")
            }
            mentions += step.mentions ? 1 : 0
            let seen = step.badge
            if (seen.unread, seen.mentions, seen.mutedUnread) != (Int64(index + 1), mentions, 0) {
                found.add("a badge is not what is unread", "\(text): \(seen)")
            }
        }
    }

    private static func pushes(_ user: User, _ device: String, _ found: inout Findings) {
        let name = "the \(device) of \(LoadTenant.user(user.number))"
        var left = user.pushes[device] ?? []
        for (index, step) in user.steps.enumerated() where step.isDue(at: device) {
            let id = RequestTemplate.messageID(step.message)
            let mine = left.filter { $0.messageID == id }
            left.removeAll { $0.messageID == id }
            guard mine.count == 1, mine[0].kind == "alert", mine[0].isAccepted else {
                found.add("a message was not pushed once", "\(id) to \(name): \(mine.count)")
                continue
            }
            if mine[0].badge != Int64(index + 1) {
                found.add(
                    "a push's badge is not the unread",
                    "\(id) to \(name): \(mine[0].badge.map { "\($0)" } ?? "none") of \(index + 1)")
            }
        }
        for push in left {
            found.add("a push came in quiet hours", "\(push.messageID) to \(name) (\(push.kind))")
        }
    }

    private static func counts(_ evidence: Evidence, _ found: inout Findings) {
        var (suppressed, made) = (0, 0)
        for user in evidence.users {
            for step in user.steps {
                let due = user.devices.count { step.isDue(at: $0) }
                made += due
                suppressed += user.devices.count - due
            }
        }
        let counts = evidence.counts
        found.expect(
            "suppressions by quiet hours, one for each device",
            counts.outcomes[["suppressed", "quiet_hours"]] ?? 0, equals: suppressed)
        found.expect("tasks made", counts.tasksMade, equals: made)
        found.expect("devices notified", counts.outcome("notified"), equals: made)
        found.expect("tasks still open", counts.tasksOpen, equals: 0)
        if evidence.users.isEmpty { found.add("nothing was looked at", "no user") }
    }
}
