/// What must hold of N-1: every tablet, offline, is pushed for every message, exactly once; no phone, online
/// and acknowledging, ever. Pure.
enum N1Checker {
    struct Evidence: Sendable {
        var users = 0
        /// Messages acknowledged, numbered from 0; message n is of user n % users.
        var messages = 0
        /// Tasks that the acknowledgements counted.
        var acknowledgedTasks = 0
        /// All that the providers received for the run's tokens.
        var pushes: [ReceivedPush] = []
        /// What the server counted over the run.
        var counts = PushCounts()
        /// By user: the unread total that the badge call answers.
        var unread: [Int64] = []
        /// By user.
        var phones: [DeviceObservation] = []
    }

    static func findings(_ evidence: Evidence) -> Findings {
        var found = Findings()
        pushes(evidence, &found)
        tasks(evidence, &found)
        badges(evidence, &found)
        phones(evidence, &found)
        return found
    }

    private static func messages(_ evidence: Evidence, of user: Int) -> StrideTo<Int> {
        stride(from: user, to: evidence.messages, by: max(1, evidence.users))
    }

    // MARK: Pushes

    private static func pushes(_ evidence: Evidence, _ found: inout Findings) {
        var left = Dictionary(grouping: evidence.pushes, by: \.token)
        for user in 0..<evidence.users {
            let tablet = left.removeValue(forKey: LoadTenant.token(user)) ?? []
            tabletPushes(user, tablet, evidence, &found)
            for push in left.removeValue(forKey: LoadTenant.token(user, device: LoadTenant.phone)) ?? [] {
                found.add(
                    "a phone that is online and applies was pushed",
                    "\(LoadTenant.user(user)) for \(push.messageID) (seq \(push.mailboxSeq))")
            }
        }
        for (token, pushes) in left.sorted(by: { $0.key < $1.key }) {
            found.add("a push went to a token that nobody has", "\(token.suffix(12)): \(pushes.count)")
        }
    }

    private static func tabletPushes(
        _ user: Int, _ pushes: [ReceivedPush], _ evidence: Evidence, _ found: inout Findings
    ) {
        let name = LoadTenant.user(user)
        var counts: [String: Int] = [:]
        for push in pushes {
            if push.status != 200 {
                found.add("a provider refused a push", "\(name), \(push.messageID): \(push.status)")
            } else if push.kind != "alert" {
                found.add("a push is no alert", "\(name), \(push.messageID): \(push.kind)")
            } else {
                counts[push.messageID, default: 0] += 1
            }
        }
        for message in messages(evidence, of: user) {
            let id = RequestTemplate.messageID(message)
            switch counts.removeValue(forKey: id) ?? 0 {
            case 1: break
            case 0: found.add("a push for a tablet is missing", "\(id) of \(name)")
            case let count:
                found.add("a tablet was pushed more than once for a message", "\(id) of \(name): \(count)")
            }
        }
        for (id, count) in counts.sorted(by: { $0.key < $1.key }) {
            found.add("a tablet was pushed for a message of nobody", "\(id) to \(name): \(count)")
        }
    }

    // MARK: Tasks

    private static func tasks(_ evidence: Evidence, _ found: inout Findings) {
        let counts = evidence.counts
        let expected = 2 * evidence.messages
        found.expect(
            "tasks in the acknowledgements, two for each message", evidence.acknowledgedTasks,
            equals: expected)
        found.expect("tasks made, two for each message", counts.tasksMade, equals: expected)
        found.expect("tasks still open", counts.tasksOpen, equals: 0)
        found.expect(
            "tasks with an outcome", counts.outcomes.values.reduce(0, +), equals: counts.tasksMade)
        found.expect("tablets notified", counts.outcome("notified"), equals: evidence.messages)
        found.expect("phones' tasks ended by APPLIED", counts.outcome("applied"), equals: evidence.messages)
        found.expect(
            "suppressions because another device is online", counts.suppressedForOtherDevices, equals: 0)
        if let violations = counts.pd1Violations {
            found.expect("rouse_pd1_violations", violations, equals: 0)
        }
    }

    // MARK: Badges

    private static func badges(_ evidence: Evidence, _ found: inout Findings) {
        let pushes = Dictionary(grouping: evidence.pushes, by: \.token)
        for user in 0..<evidence.users {
            let name = LoadTenant.user(user)
            let sent = Int64(messages(evidence, of: user).reduce(0) { count, _ in count + 1 })
            let unread = user < evidence.unread.count ? evidence.unread[user] : -1
            if unread != sent {
                found.add("the badge call is wrong", "\(name): \(unread), unread are \(sent)")
            }
            guard let last = pushes[LoadTenant.token(user)]?.last else { continue }
            if last.badge != unread {
                let badge = last.badge.map { "\($0)" } ?? "none"
                found.add(
                    "the last push's badge is not the unread", "\(name): \(badge), unread are \(unread)")
            }
        }
    }

    // MARK: Phones

    private static func phones(_ evidence: Evidence, _ found: inout Findings) {
        found.expect("phones looked at", evidence.phones.count, equals: evidence.users)
        func count(_ user: Int) -> Int64 {
            Int64(messages(evidence, of: user).reduce(0) { count, _ in count + 1 })
        }
        found.add(
            DeviceOrderChecker.findings(
                { "the phone of \(LoadTenant.user($0))" }, evidence.phones, head: { count($0) },
                expected: { Array(messages(evidence, of: $0)) }))
        for (user, phone) in evidence.phones.enumerated() {
            if phone.connections != 1 {
                found.add("a phone lost its connection", "\(LoadTenant.user(user)): \(phone.closeCode ?? 0)")
            }
            if phone.badge?.unread != count(user) {
                let shown = phone.badge.map { "\($0.unread)" } ?? "none"
                found.add(
                    "a phone's last badge is not the unread",
                    "\(LoadTenant.user(user)): \(shown), unread are \(count(user))")
            }
        }
    }
}
