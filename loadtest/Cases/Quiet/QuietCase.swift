import EventLoop
import Wire

/// Quiet hours, by the clock on the right wall.
enum QuietCase {
    static let command = LoadtestCommand(
        name: "quiet", summary: "Inside a user's quiet hours only mentions push, by the zone that counts",
        options: [
            Option("users", "N", "Users, every second one inside the window (240)"),
            Option("waiting", "N", "Users whose quiet hours begin while a push waits to merge (60)"),
        ] + CaseOptions.shared,
        details: """
            A third of the users has set a zone, a third has two offline devices which report one each, the
            rest goes by the tenant's; the window is such that any other zone would say the opposite. Holds if
            a plain message makes a task and a push for the devices outside the window alone, a mention (of the
            user, of all) for every device, and once the hours are cleared a plain one, too; if all count as
            unread; and if what waits to merge is judged again.
            """,
        run: { options in try await Run(options).run() })

    private struct Run: Sendable {
        private static let mergeWindow = 2_000
        private static let explained = 20

        private let users: Int
        private let waiting: Int
        private let options: CaseOptions
        private let loop = EventLoop(label: "quiet")

        init(_ options: Options) throws(UsageFailure) {
            users = try options.number("users", in: 6...10_000, default: 240)
            waiting = try options.number("waiting", in: 1...1_000, default: 60)
            self.options = try CaseOptions(options, rule: "quiet-hours")
        }

        func run() async throws {
            let target = try await options.open(
                keptPushes: 1_000_000, isStrict: true, needsFCM: true, on: loop)
            let people = (0..<users).map { QuietPerson($0, target.transports) }
            try await target.register(people.flatMap(\.devices))
            let before = try await target.metrics()
            var stage = QuietStage(
                target: target, people: people, watch: try await PushWatch(target.providers))
            try await perform(&stage)
            var evidence = QuietChecker.Evidence()
            _ = try await target.tasksEnd(withinSeconds: 10)
            evidence.counts = try await target.metrics().since(before)
            evidence.users = stage.users
            evidence.explained = try await target.explanations(
                of: people.filter(\.isInside).prefix(Self.explained).map { ($0.number, $0.number) },
                device: LoadTenant.device)
            evidence.waiting = try await wait(target, stage.next)
            try report(evidence)
        }

        private func perform(_ stage: inout QuietStage) async throws {
            Progress.say("quiet hours of \(users) users: a plain message, then mentions")
            try await stage.begin()
            try await stage.message()
            try await stage.message(mention: .user)
            try await stage.message(mention: .all)
            Progress.say("no quiet hours any more")
            try await stage.end()
            try await stage.message()
        }

        /// Users of another tenant, whose pushes wait to merge; their hours are those of the whole day.
        private func wait(_ open: CaseTarget, _ first: Int) async throws -> [N3Checker.Waiting] {
            let target = try await open.other("waits", policy: ["push_merge_window_ms": Self.mergeWindow])
            let devices = (users..<(users + waiting)).map {
                LoadDevice(user: $0, transport: target.transports[$0 % target.transports.count])
            }
            try await target.register(devices)
            Progress.say("quiet hours of \(waiting) users begin while a message and a mention wait to merge")
            var watch = try await PushWatch(target.providers)
            for isMention in [false, true] {
                _ = try await target.send(
                    devices.map { device in
                        let number = first + 2 * device.user + (isMention ? 1 : 0)
                        var draft = MessageDraft(number, "w-\(device.user)", to: [device.user])
                        if isMention { draft.mentions = [device.user] }
                        return draft
                    })
            }
            try await target.call(devices.map { target.backend.quiet($0.user, (0, 0), zone: nil) })
            try await watch.await(waiting, patienceSeconds: 5)
            _ = try await target.tasksEnd(withinSeconds: 5)
            try await watch.look()
            let pushes = watch.byToken
            let told = try await target.explanations(
                of: devices.flatMap { [(first + 2 * $0.user, $0.user), (first + 2 * $0.user + 1, $0.user)] },
                device: LoadTenant.device)
            return devices.enumerated().map { index, device in
                N3Checker.Waiting(
                    user: device.user, plain: first + 2 * device.user, mention: first + 2 * device.user + 1,
                    pushes: pushes[device.token] ?? [], plainOutcome: told[2 * index],
                    mentionOutcome: told[2 * index + 1])
            }
        }

        private func report(_ evidence: QuietChecker.Evidence) throws {
            var report = Report(options.title("quiet: \(users) users, one half inside their quiet hours"))
            report.add("messages", "messages", evidence.users.reduce(0) { $0 + $1.steps.count })
            report.add("tasks", "tasks made", evidence.counts.tasksMade)
            report.add(
                "suppressed_quiet", "suppressions by quiet hours",
                evidence.counts.outcomes[["suppressed", "quiet_hours"]] ?? 0)
            report.add(
                "pushes", "pushes at the devices",
                evidence.users.reduce(0) { $0 + $1.pushes.values.reduce(0) { $0 + $1.count } })
            report.add("waiting", "begun while they waited", evidence.waiting.count)
            report.violations += QuietChecker.findings(evidence).sentences
            try options.publish(report)
        }
    }
}
