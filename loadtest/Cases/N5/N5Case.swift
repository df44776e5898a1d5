import EventLoop

/// N-5: token death, and the sync that needs no token.
enum N5Case {
    static let command = LoadtestCommand(
        name: "n5", summary: "N-5: a dead token goes, nothing is tried any more, the next sync brings all",
        options: [
            Option("users", "N", "Users with one offline device; every second one by FCM (200)"),
            Option("messages", "N", "Messages for each before its token dies, and again after (3)"),
            Option("page", "N", "Entries a page of the mailbox call (2)"),
            Option(
                "held", "N", "Connected devices that do not acknowledge, half of them by HTTP instead (40)"),
        ] + CaseOptions.shared,
        details: """
            The providers answer 410 (FCM: UNREGISTERED) once for each device. Holds if token and digest are
            gone, no later message makes a task or a push, and each device then gets every message in order:
            one half over the gateway, all by pages of the mailbox call. Acknowledging by HTTP is the same
            evidence: an entry that is held goes without a push, and those never acknowledged are pushed.
            With --server the devices are all of APNs.
            """,
        run: { options in try await Run(options).run() })

    private struct Run: Sendable {
        /// `push_confirm_extended_window` and some.
        private static let holdSeconds = 22

        private let users: Int
        private let messages: Int
        private let page: Int
        private let heldUsers: Int
        private let options: CaseOptions
        private let loop = EventLoop(label: "n5")

        init(_ options: Options) throws(UsageFailure) {
            users = try options.number("users", in: 1...10_000, default: 200)
            messages = try options.number("messages", in: 1...1_000, default: 3)
            page = try options.number("page", in: 1...200, default: 2)
            heldUsers = try options.number("held", in: 2...5_000, default: 40)
            self.options = try CaseOptions(options, rule: "dead-tokens-go")
        }

        func run() async throws {
            let target = try await options.open(
                keptPushes: 1_000_000, isStrict: true, needsFCM: true, on: loop)
            let isFCM = target.processes != nil
            try await RegistrationLoad.run(
                target.tenant, users: users + heldUsers,
                transport: { [users] in isFCM && $0 < users && $0 % 2 == 1 ? .fcm : .apns },
                on: target.server, loop)
            var watch = try await PushWatch(target.providers)
            var evidence = N5Checker.Evidence()
            let hold = try await holdEntries(target)
            try await killTokens(target, isFCM: isFCM, &watch, &evidence)
            try await sync(target, &evidence)
            try await release(target, hold, &watch, &evidence)
            let pushes = watch.byToken
            for index in evidence.dead.indices {
                evidence.dead[index].pushes = pushes[token(index, isFCM: isFCM)] ?? []
            }
            try report(evidence, watch.pushes.count)
        }

        private func token(_ user: Int, isFCM: Bool) -> String {
            isFCM && user % 2 == 1 ? LoadTenant.fcmToken(user) : LoadTenant.token(user)
        }

        // MARK: Death

        private func killTokens(
            _ target: CaseTarget, isFCM: Bool, _ watch: inout PushWatch, _ evidence: inout N5Checker.Evidence
        ) async throws {
            evidence.dead = (0..<users).map { user in
                var dead = N5Checker.Dead()
                dead.user = user
                return dead
            }
            Progress.say("\(users * messages) messages while the tokens live")
            _ = try await round(messages, target, &evidence)
            try await watch.await(users * messages, patienceSeconds: 10)
            let tokens = (0..<users).map { token($0, isFCM: isFCM) }
            let fcm = tokens.filter { $0.hasPrefix("fcm") }
            try await target.providers.script(tokens.filter { !$0.hasPrefix("fcm") }, "Unregistered")
            try await target.providers.script(fcm, "UNREGISTERED")
            Progress.say("one message for each device, whose provider answers that the token is dead")
            _ = try await round(1, target, &evidence)
            try await deaths(target, &evidence)
            try await target.providers.script(tokens, "accept")
            let before = try await target.metrics()
            Progress.say("\(users * messages) messages after the death")
            evidence.laterTasks = try await round(messages, target, &evidence).tasks
            try await Task.sleep(for: .seconds(2))
            evidence.laterTasksMade = try await target.metrics().since(before).tasksMade
        }

        /// Sends so many messages to each user.
        private func round(
            _ count: Int, _ target: CaseTarget, _ evidence: inout N5Checker.Evidence
        ) async throws -> MessageFlow.Result {
            var plan = MessageFlow.Plan(target.template(.perUser), users: users)
            plan.first = evidence.dead.reduce(0) { $0 + $1.rounds.reduce(0) { $0 + $1.count } }
            plan.count = count * users
            let result = await MessageFlow.run(plan, to: target.server.publicAddress, on: loop)
            guard result.unexpected.isEmpty else {
                throw LoadtestFailure("messages were answered otherwise: \(result.unexpected)")
            }
            for user in 0..<users {
                evidence.dead[user].rounds.append((0..<count).map { plan.first + user + $0 * users })
            }
            return result
        }

        private func deaths(_ target: CaseTarget, _ evidence: inout N5Checker.Evidence) async throws {
            for _ in 0..<50 {
                let statuses = try await target.devices(of: 0..<users)
                for (user, status) in statuses.enumerated() { evidence.dead[user].status = status }
                if statuses.allSatisfy({ $0?.isWakeable == false }) { return }
                try await Task.sleep(for: .milliseconds(200))
            }
            Progress.say("not every token is gone after 10 s")
        }

        // MARK: Sync

        private func sync(_ target: CaseTarget, _ evidence: inout N5Checker.Evidence) async throws {
            let overGateway = (0..<users).filter { $0 / 2 % 2 == 0 }
            Progress.say("\(overGateway.count) devices sync over the gateway, all by the mailbox call")
            let fleet = DeviceFleet(
                to: [target.server.publicAddress], settings: FleetSettings(keepsEntries: true))
            await fleet.add(try overGateway.map { try target.profile($0, LoadTenant.device) })
            fleet.connect(withinMilliseconds: 500)
            let entries = overGateway.count * (2 * messages + 1)
            if await !fleet.waits(withinMilliseconds: 15_000, until: { $0.entries >= entries }) {
                Progress.say("not every entry came: \(await fleet.totals)")
            }
            let readings = try await target.mailboxes(of: 0..<users, limit: page)
            for (user, reading) in readings.enumerated() { evidence.dead[user].pages = reading }
            let others = (0..<users).filter { $0 / 2 % 2 == 1 }.map {
                (user: $0, seq: readings[$0].entries.last?.seq ?? 0)
            }
            evidence.appliedStatuses += try await target.apply(others)
            evidence.beyondHeadStatus = try await target.apply([(user: 0, seq: 1_000_000)]).first ?? 0
            await fleet.stop()
            for (user, seen) in zip(overGateway, await fleet.observations) {
                evidence.dead[user].gateway = seen
            }
            for (user, status) in try await target.devices(of: 0..<users).enumerated() {
                evidence.dead[user].appliedSeq = status?.appliedSeq ?? -1
            }
        }

        // MARK: Evidence by HTTP

        private struct Hold {
            let fleet: DeviceFleet
            let begun: UInt64
            let tokens: [String]
            /// Of the calls that acknowledge by HTTP.
            let statuses: [Int]
        }

        /// Connected devices get an entry and do not acknowledge; half of them do by HTTP.
        private func holdEntries(_ target: CaseTarget) async throws -> Hold {
            let held = users..<(users + heldUsers)
            Progress.say("\(heldUsers) connected devices get an entry that they do not acknowledge")
            let fleet = DeviceFleet(to: [target.server.publicAddress])
            await fleet.add(
                try held.map { user in
                    var profile = try target.profile(user, LoadTenant.device)
                    profile.applying = .never
                    return profile
                })
            fleet.connect()
            let count = heldUsers
            guard await fleet.waits(withinMilliseconds: 20_000, until: { $0.online == count }) else {
                throw LoadtestFailure("not every device is connected: \(await fleet.totals)")
            }
            var plan = MessageFlow.Plan(target.template(.perUser), users: heldUsers)
            plan.firstUser = users
            plan.first = 1_000_000 / heldUsers * heldUsers
            plan.count = heldUsers
            _ = await MessageFlow.run(plan, to: target.server.publicAddress, on: loop)
            let begun = MonotonicClock.now()
            guard await fleet.waits(withinMilliseconds: 2_500, until: { $0.entries == count }) else {
                throw LoadtestFailure("not every entry came: \(await fleet.totals)")
            }
            let half = stride(from: users, to: users + heldUsers, by: 2).map { (user: $0, seq: Int64(1)) }
            return Hold(
                fleet: fleet, begun: begun, tokens: held.map { LoadTenant.token($0) },
                statuses: try await target.apply(half))
        }

        private func release(
            _ target: CaseTarget, _ hold: Hold, _ watch: inout PushWatch,
            _ evidence: inout N5Checker.Evidence
        ) async throws {
            evidence.appliedStatuses += hold.statuses
            let elapsed = Int((MonotonicClock.now() - hold.begun) / 1_000_000_000)
            Progress.say("waiting for the holds of those that never acknowledge")
            try await Task.sleep(for: .seconds(max(0, Self.holdSeconds - elapsed)))
            try await watch.await(0)
            _ = try await target.tasksEnd(withinSeconds: 10)
            evidence.openTasks = try await target.metrics().tasksOpen
            let pushes = watch.byToken
            evidence.held = (0..<heldUsers).map { index in
                N5Checker.Held(
                    user: users + index, isApplied: index % 2 == 0, pushes: pushes[hold.tokens[index]] ?? [])
            }
            await hold.fleet.stop()
        }

        // MARK: The report

        private func report(_ evidence: N5Checker.Evidence, _ pushes: Int) throws {
            var report = Report(
                options.title("n5: \(users) devices whose token dies, \(heldUsers) that acknowledge or not"))
            let dead = evidence.dead
            func count(_ isSo: (ReceivedPush) -> Bool) -> Int {
                dead.reduce(0) { $0 + $1.pushes.count(where: isSo) }
            }
            report.add("accepted", "pushes accepted", count { $0.status == 200 })
            report.add("refused", "pushes refused, the token being dead", count { $0.status != 200 })
            report.add(
                "gone", "devices without a token after that", dead.count { $0.status?.isWakeable == false })
            report.add(
                "later_messages", "messages after the death",
                dead.reduce(0) { $0 + ($1.rounds.last?.count ?? 0) })
            report.add("later_tasks", "tasks that they made", evidence.laterTasksMade)
            report.add(
                "gateway_entries", "entries synced over the gateway",
                dead.reduce(0) { $0 + ($1.gateway?.entries ?? 0) })
            report.add(
                "mailbox_entries", "entries synced by the mailbox call",
                dead.reduce(0) { $0 + $1.pages.entries.count })
            report.add("mailbox_pages", "in so many pages", dead.reduce(0) { $0 + $1.pages.pages })
            report.add(
                "held_applied", "held, acknowledged by HTTP: pushes",
                evidence.held.filter(\.isApplied).reduce(0) { $0 + $1.pushes.count })
            report.add(
                "held_pushed", "held, never acknowledged: pushes",
                evidence.held.filter { !$0.isApplied }.reduce(0) { $0 + $1.pushes.count })
            report.violations += N5Checker.findings(evidence).sentences
            try options.publish(report)
        }
    }
}
