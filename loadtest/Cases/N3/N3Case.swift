import EventLoop
import Wire

/// N-3: mute and mention.
enum N3Case {
    static let command = LoadtestCommand(
        name: "n3", summary: "N-3: a muted conversation counts and is silent; a mention in it is pushed",
        options: [
            Option("users", "N", "Users with an offline tablet, every second one of FCM (400)"),
            Option("messages", "N", "Plain messages for each while the conversation is muted (3)"),
            Option("waiting", "N", "Users whose conversation is muted while a push waits to merge (100)"),
        ] + CaseOptions.shared,
        details: """
            Every fourth user also has a phone online, which applies. Holds if a plain message of a muted
            conversation makes no task and no push while unread, muted_unread and the conversation grow by each;
            a mention (of the user, of all) makes its task and push; what muted_until ends and what is unmuted
            is pushed again, the end being an entry; and what waits to merge is judged again.
            """,
        run: { options in try await Run(options).run() })

    private struct Run: Sendable {
        private static let mergeWindow = 2_000
        private static let muteMilliseconds: Int64 = 2_500
        private static let explained = 20

        private let users: Int
        private let messages: Int
        private let waiting: Int
        private let options: CaseOptions
        private let loop = EventLoop(label: "n3")

        init(_ options: Options) throws(UsageFailure) {
            users = try options.number("users", in: 1...10_000, default: 400)
            messages = try options.number("messages", in: 1...100, default: 3)
            waiting = try options.number("waiting", in: 1...1_000, default: 100)
            self.options = try CaseOptions(options, rule: "mutes-suppress")
        }

        func run() async throws {
            let target = try await options.open(
                keptPushes: 1_000_000, isStrict: true, needsFCM: true, on: loop)
            try await target.register(devices(target))
            let fleet = try await phones(target)
            let before = try await target.metrics()
            let watch = try await PushWatch(target.providers)
            var stage = N3Stage(target: target, users: users, watch: watch)
            try await perform(&stage)
            var evidence = N3Checker.Evidence()
            _ = try await target.tasksEnd(withinSeconds: 25)
            evidence.counts = try await target.metrics().since(before)
            evidence.users = try await seen(stage, fleet)
            let suppressed = (0..<min(users, Self.explained)).map { (number: stage.first, user: $0) }
            evidence.explained = try await target.explanations(
                of: suppressed.map { ($0.number + $0.user, $0.user) }, device: LoadTenant.device)
            evidence.waiting = try await wait(target, stage.next)
            await fleet.stop()
            try report(evidence)
        }

        private func devices(_ target: CaseTarget) -> [LoadDevice] {
            (0..<users).map { tablet($0, target) } + phoneUsers.map { LoadDevice(user: $0, name: "phone") }
        }

        private var phoneUsers: [Int] { Array(stride(from: 0, to: users, by: 4)) }

        private func tablet(_ user: Int, _ target: CaseTarget) -> LoadDevice {
            LoadDevice(user: user, transport: target.transports[user % target.transports.count])
        }

        private func phones(_ target: CaseTarget) async throws -> DeviceFleet {
            let fleet = DeviceFleet(to: [target.server.publicAddress])
            await fleet.add(try phoneUsers.map { try target.profile($0, LoadTenant.phone) })
            fleet.connect(withinMilliseconds: 300)
            let count = phoneUsers.count
            guard await fleet.waits(withinMilliseconds: 20_000, until: { $0.online == count }) else {
                throw LoadtestFailure("not every phone is connected: \(await fleet.totals)")
            }
            return fleet
        }

        // MARK: Acts

        private func perform(_ stage: inout N3Stage) async throws {
            Progress.say("a muted conversation: \(messages) plain messages for each of \(users) users")
            try await stage.mute("muted")
            for _ in 0..<messages { try await stage.message("muted") }
            try await stage.message("open")
            Progress.say("mentions of the user, and of all")
            try await stage.message("muted", mention: .user)
            try await stage.message("muted", mention: .all)
            try await stage.unmute("muted")
            try await stage.message("muted")
            Progress.say("a mute that ends by itself")
            let end = WallClock.now() + Self.muteMilliseconds
            try await stage.mute("timed", until: end)
            try await stage.message("timed")
            try await Task.sleep(for: .milliseconds(max(0, end - WallClock.now()) + 500))
            try await stage.ranOut("timed")
            try await stage.message("timed")
        }

        private func seen(_ stage: N3Stage, _ fleet: DeviceFleet) async throws -> [N3Checker.User] {
            let target = stage.target
            let pushes = stage.watch.byToken
            let mailboxes = try await target.mailboxes(of: 0..<users, limit: 200)
            let phones = await fleet.observations
            return (0..<users).map { number in
                var user = N3Checker.User()
                user.number = number
                user.devices = number % 4 == 0 ? 2 : 1
                user.steps = stage.steps[number]
                user.tabletPushes = pushes[tablet(number, target).token] ?? []
                user.phonePushes = pushes[LoadDevice(user: number, name: "phone").token]?.count ?? 0
                if number % 4 == 0 { user.phoneBadge = phones[number / 4].badge }
                user.settings = mailboxes[number].entries.filter { $0.kind == "settings" }.map {
                    (String($0.conversation.dropLast(Digits.userWidth + 1)), $0.isMuted)
                }
                return user
            }
        }

        // MARK: Waiting

        /// Users of another tenant, whose pushes wait to merge.
        private func wait(_ open: CaseTarget, _ first: Int) async throws -> [N3Checker.Waiting] {
            let target = try await open.other("waits", policy: ["push_merge_window_ms": Self.mergeWindow])
            let numbers = Array(users..<(users + waiting))
            try await target.register(numbers.map { tablet($0, target) })
            Progress.say("\(waiting) conversations are muted while a message and a mention wait to merge")
            var watch = try await PushWatch(target.providers)
            _ = try await target.send(numbers.map { MessageDraft(first + 2 * $0, "w-\($0)", to: [$0]) })
            _ = try await target.send(
                numbers.map { user in
                    var draft = MessageDraft(first + 2 * user + 1, "w-\(user)", to: [user])
                    draft.mentions = [user]
                    return draft
                })
            try await target.call(numbers.map { target.backend.mute($0, "w-\($0)") })
            try await watch.await(waiting, patienceSeconds: 5)
            try await Task.sleep(for: .milliseconds(500))
            try await watch.look()
            _ = try await target.tasksEnd(withinSeconds: 5)
            let pushes = watch.byToken
            let told = try await target.explanations(
                of: numbers.flatMap { [(first + 2 * $0, $0), (first + 2 * $0 + 1, $0)] },
                device: LoadTenant.device)
            return numbers.enumerated().map { index, user in
                N3Checker.Waiting(
                    user: user, plain: first + 2 * user, mention: first + 2 * user + 1,
                    pushes: pushes[tablet(user, target).token] ?? [], plainOutcome: told[2 * index],
                    mentionOutcome: told[2 * index + 1])
            }
        }

        private func report(_ evidence: N3Checker.Evidence) throws {
            var report = Report(options.title("n3: \(users) users mute a conversation, and are mentioned"))
            let steps = evidence.users.flatMap(\.steps)
            report.add(
                "messages", "messages", steps.count { if case .message = $0.act { true } else { false } })
            report.add("tasks", "tasks made", evidence.counts.tasksMade)
            report.add(
                "suppressed_muted", "suppressions by mute",
                evidence.counts.outcomes[["suppressed", "muted"]] ?? 0)
            report.add(
                "pushes", "pushes at the tablets", evidence.users.reduce(0) { $0 + $1.tabletPushes.count })
            report.add("waiting", "muted while they waited", evidence.waiting.count)
            report.violations += N3Checker.findings(evidence).sentences
            try options.publish(report)
        }
    }
}

/// Takes all users of the case through the same steps, and looks after each.
private struct N3Stage: Sendable {
    enum Mention { case none, user, all }

    let target: CaseTarget
    let users: Int
    var watch: PushWatch
    var steps: [[N3Checker.Step]]
    /// The number of the first message, and of the next.
    let first = 0
    private(set) var next = 0
    private var due = 0

    init(target: CaseTarget, users: Int, watch: PushWatch) {
        self.target = target
        self.users = users
        self.watch = watch
        steps = Array(repeating: [], count: users)
    }

    mutating func mute(_ kind: String, until: Int64? = nil) async throws {
        try await target.call((0..<users).map { target.backend.mute($0, name(kind, $0), until: until) })
        try await look(Array(repeating: 0, count: users)) { _ in .muted(kind) }
    }

    mutating func unmute(_ kind: String) async throws {
        try await target.call((0..<users).map { target.backend.unmute($0, name(kind, $0)) })
        try await look(Array(repeating: 0, count: users)) { _ in .unmuted(kind) }
    }

    mutating func ranOut(_ kind: String) async throws {
        try await look(Array(repeating: 0, count: users)) { _ in .muteRanOut(kind) }
    }

    /// One message for each user.
    mutating func message(_ kind: String, mention: Mention = .none) async throws {
        let first = next
        next += users
        let drafts = (0..<users).map { user in
            var draft = MessageDraft(first + user, name(kind, user), to: [user])
            draft.isGroup = true
            draft.mentions = mention == .user ? [user] : []
            draft.mentionsAll = mention == .all
            return draft
        }
        let tasks = try await target.send(drafts)
        due += tasks.count { $0 > 0 }
        try await look(tasks) { .message(first + $0, kind, mentions: mention != .none) }
        // The next step would change the badge of a push that is not yet built.
        try await watch.await(due, patienceSeconds: 5)
    }

    private func name(_ kind: String, _ user: Int) -> String {
        "\(kind)-\(Digits.text(user, width: Digits.userWidth))"
    }

    private mutating func look(_ tasks: [Int], _ act: (Int) -> N3Checker.Act) async throws {
        let all = Array(0..<users)
        let badges = try await target.badges(of: all)
        let conversations = try await target.conversations(of: all)
        for user in all {
            let act = act(user)
            steps[user].append(
                N3Checker.Step(
                    act: act, tasks: tasks[user], badge: badges[user],
                    conversation: conversations[user][name(act.conversation, user)]))
        }
    }
}
