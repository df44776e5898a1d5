import EventLoop
import Wire

/// N-6: the badge.
enum N6Case {
    static let command = LoadtestCommand(
        name: "n6",
        summary: "N-6: random traffic, reads and mutes: every badge is the fold, and all converge",
        options: [
            Option("operations", "N", "Operations (10000)"),
            Option("users", "N", "Users with two or three devices each, in three tenants (50)"),
            Option("rate", "N", "Operations a second (400)"), Option("seed", "N", "Of the choices (random)"),
            Option("leave-out", "LIST", "Operations not done, with commas"),
        ] + CaseOptions.shared,
        details: """
            Messages, mentions, silent and uncounted messages; reads by backend, device and gateway, by seq, by
            message and of all; mutes with and without end, unmutes, recalls, leaving; devices come and go, apply at
            once, late or never. Sampled all along. Holds if each badge answered, shown or pushed is the fold of
            the mailbox at the seq it names, counted by the harness from the mailbox's pages; if none is older
            than what was known 2 s before; and if after quiet every device that was ever given a badge has been
            given the last within settle window and repair interval. The tenants: short windows; the same with
            badge_counts_muted; the defaults, merge window included. Limits are out of reach.
            """,
        run: { options in try await Run(options).run() })

    private struct Run: Sendable {
        private let operations: Int
        private let users: Int
        private let rate: Int
        private let seed: UInt64
        private let kinds: [BadgeOperation]
        private let options: CaseOptions
        private let loop = EventLoop(label: "n6")

        init(_ options: Options) throws(UsageFailure) {
            operations = try options.number("operations", in: 1...10_000_000, default: 10_000)
            users = try options.number("users", in: 5...10_000, default: 50)
            rate = try options.number("rate", in: 1...100_000, default: 400)
            seed = UInt64(
                try options.number("seed", in: 0...Int.max, default: Int.random(in: 0..<1_000_000)))
            let left = (options["leave-out"] ?? "").split(separator: ",").map(String.init)
            for word in left where BadgeOperation(rawValue: word) == nil {
                throw UsageFailure(
                    "option --leave-out knows \(BadgeOperation.allCases.map(\.rawValue))")
            }
            kinds = BadgeOperation.allCases.filter { !left.contains($0.rawValue) }
            self.options = try CaseOptions(options, rule: "badge-of-now")
        }

        func run() async throws {
            Progress.say("seed \(seed)")
            let target = try await options.open(
                keptPushes: 20 * operations + 100_000, isStrict: true, limits: AuditWitness.limits,
                needsFCM: true,
                policy: ["push_merge_window_ms": 0] + Self.shortWindows, on: loop)
            var world = try await world(target)
            for group in world.groups {
                try await group.target.register(world.devices.filter { group.users.contains($0.user) })
            }
            let sightings = BadgeSightings(devices: world.devices.count)
            let fleet = try await fleet(&world, target, sightings)
            let before = try await target.metrics()
            var watch = try await PushWatch(target.providers)
            var plan = BadgeTraffic.Plan()
            (plan.operations, plan.rate, plan.kinds, plan.seed) = (operations, rate, kinds, seed)
            Progress.say("\(operations) operations over \(users) users, \(rate) a second")
            let traffic = await BadgeTraffic.run(
                plan, world, fleet, to: target.server.publicAddress, on: loop)
            try await Task.sleep(for: .milliseconds(max(0, traffic.lastMuteEnd + 500 - WallClock.now())))
            let quiet = try await changeSilently(world, plan.firstSilent)
            var evidence = try await settle(world, traffic, sightings, &watch, quiet)
            evidence.counts = try await target.metrics().since(before)
            if let server = target.processes?.server {
                evidence.audit = try await AuditWitness.violations(of: server, loop)
            }
            try await report(evidence, traffic, target)
            await fleet.stop()
        }

        private static let shortWindows = [
            "badge_settle_window_ms": 300, "badge_repair_interval_ms": 1_000,
        ]

        // MARK: The world

        private func world(_ target: CaseTarget) async throws -> BadgeWorld {
            let ends = [0, users * 2 / 5, users * 3 / 5, users]
            let counting = try await target.other(
                "counting", policy: ["push_merge_window_ms": 500] + Self.shortWindows,
                flags: ["badge_counts_muted": true])
            let standard = try await target.other("standard", policy: ["push_merge_window_ms": 5_000])
            func group(_ index: Int, _ target: CaseTarget, settle: Int64, repair: Int64) -> BadgeWorld.Group {
                BadgeWorld.Group(
                    target: target, users: ends[index]..<ends[index + 1],
                    conversations: (0..<5).map { "c-\(index)-\($0)" }, countsMuted: index == 1,
                    settle: settle, repair: repair)
            }
            return BadgeWorld(
                groups: [
                    group(0, target, settle: 300, repair: 1_000),
                    group(1, counting, settle: 300, repair: 1_000),
                    group(2, standard, settle: 5_000, repair: 30_000),
                ], devices: (0..<users).flatMap { devices($0, target.transports) })
        }

        private func devices(_ user: Int, _ transports: [LoadTenant.Transport]) -> [LoadDevice] {
            let names = LoadTenant.bothDevices + (user % 2 == 0 ? [LoadTenant.laptop] : [])
            return names.enumerated().map { index, name in
                LoadDevice(
                    user: user, name: name, transport: transports[(user / 2 + index) % transports.count])
            }
        }

        /// Every second device is there at the beginning; each applies in its own way.
        private func fleet(_ world: inout BadgeWorld, _ target: CaseTarget, _ sightings: BadgeSightings)
            async throws -> DeviceFleet
        {
            let fleet = DeviceFleet(to: [target.server.publicAddress]) { sightings.take($0) }
            let ways: [DeviceProfile.Applying] = [
                .atOnce, .atOnce, .after(milliseconds: 300), .never, .atOnce,
            ]
            await fleet.add(
                try world.devices.enumerated().map { number, device in
                    let tenant = world.group(of: device.user).target
                    var profile = try tenant.profile(device.user, device.name)
                    profile.applying = ways[number % ways.count]
                    return profile
                })
            for number in world.devices.indices where number % 2 == 0 {
                fleet.connect(number..<(number + 1))
                world.isOnline[number] = true
            }
            let count = world.devices.indices.count { $0 % 2 == 0 }
            guard await fleet.waits(withinMilliseconds: 20_000, until: { $0.online == count }) else {
                throw LoadtestFailure("not every device is connected: \(await fleet.totals)")
            }
            return fleet
        }

        /// The last change of each user is one that nobody is pushed for, so that devices which are away
        /// learn of it by BC-1 alone.
        private func changeSilently(_ world: BadgeWorld, _ first: Int) async throws -> Int64 {
            for group in world.groups {
                let messages = group.users.map { user in
                    var draft = MessageDraft(first + user, group.conversations[0], to: [user])
                    draft.isGroup = true
                    draft.mentions = [user]
                    draft.push = false
                    return draft
                }
                _ = try await group.target.send(messages)
            }
            return WallClock.now()
        }

        // MARK: After quiet

        /// Waits until every device knows the last badge, or BC-1's bound has passed for all.
        private func settle(
            _ world: BadgeWorld, _ traffic: BadgeTraffic.Result, _ sightings: BadgeSightings,
            _ watch: inout PushWatch, _ quiet: Int64
        ) async throws -> N6Checker.Evidence {
            var evidence = N6Checker.Evidence()
            evidence.refusals = traffic.refusals
            evidence.users = try await users(world, traffic, quiet)
            Progress.say("quiet; waiting until every device knows the last badge")
            var isOver = false
            while !isOver {
                try await Task.sleep(for: .milliseconds(1_000))
                try await watch.look()
                fill(&evidence, world, watch, sightings)
                isOver = evidence.users.allSatisfy { user in
                    user.devices.allSatisfy { isDone($0, user, evidence) }
                }
            }
            // Held tasks of devices that never apply fall due meanwhile; none may be left.
            _ = try await world.groups[0].target.tasksEnd(withinSeconds: 25)
            try await watch.look()
            fill(&evidence, world, watch, sightings)
            return evidence
        }

        private func isDone(
            _ device: N6Checker.Device, _ user: N6Checker.User, _ evidence: N6Checker.Evidence
        ) -> Bool {
            let given = N6Checker.given(device)
            if given.isEmpty || N6Checker.convergedAt(given, last: user.fold.last.unread) != nil {
                return true
            }
            return WallClock.now() > N6Checker.bound(device, given, user) + evidence.repairSlack
        }

        private func users(
            _ world: BadgeWorld, _ traffic: BadgeTraffic.Result, _ quiet: Int64
        ) async throws -> [N6Checker.User] {
            var users: [N6Checker.User] = []
            for group in world.groups {
                let numbers = Array(group.users)
                let mailboxes = try await group.target.mailboxes(of: group.users, limit: 200)
                let badges = try await group.target.badges(of: numbers)
                let conversations = try await group.target.conversations(of: numbers)
                for (index, number) in numbers.enumerated() {
                    var user = N6Checker.User()
                    user.number = number
                    user.quietAt = quiet
                    (user.settle, user.repair) = (group.settle, group.repair)
                    user.fold = BadgeFold(mailboxes[index].entries, countsMuted: group.countsMuted)
                    user.samples = traffic.samples[number]
                    user.last = badges[index]
                    user.conversations = conversations[index]
                    users.append(user)
                }
            }
            return users
        }

        private func fill(
            _ evidence: inout N6Checker.Evidence, _ world: BadgeWorld, _ watch: PushWatch,
            _ sightings: BadgeSightings
        ) {
            let (pushes, seen) = (watch.byToken, sightings.all)
            for index in evidence.users.indices {
                let samples = evidence.users[index].samples
                evidence.users[index].devices = world.devices(of: evidence.users[index].number).map {
                    number in
                    let (device, seen) = (world.devices[number], seen[number])
                    return N6Checker.Device(
                        name: device.name, pushes: pushes[device.token] ?? [], shown: seen.shown,
                        answered: samples.filter { $0.reader == number }, left: seen.left,
                        isOnline: (seen.shown.last { $0.source == .welcome }?.at ?? 0)
                            > (seen.left.last ?? 0))
                }
            }
            let errors = seen.flatMap(\.errors)
            evidence.refusals =
                evidence.refusals.filter { !$0.hasPrefix("device: ") } + errors.map { "device: \($0)" }
        }

        // MARK: The report

        private func report(
            _ evidence: N6Checker.Evidence, _ traffic: BadgeTraffic.Result, _ target: CaseTarget
        ) async throws {
            var report = Report(
                options.title("n6: \(traffic.operations) operations over \(users) users, seed \(seed)"))
            var seen: [String: Int] = [:]
            for user in evidence.users {
                for sample in user.samples { seen[sample.source.rawValue, default: 0] += 1 }
                for device in user.devices {
                    for sample in device.shown { seen[sample.source.rawValue, default: 0] += 1 }
                    for push in device.pushes { seen["\(push.form.provider) \(push.kind)", default: 0] += 1 }
                }
            }
            report.add("operations", "operations", traffic.operations)
            for (kind, count) in traffic.done.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                report.add("done_\(kind)", "of them \(kind)", count)
            }
            report.add("compared", "badges compared with the fold", seen.values.reduce(0, +))
            for (kind, count) in seen.sorted(by: { $0.key < $1.key }) {
                report.add("compared_\(kind)", "of them by \(kind)", count)
            }
            let late = evidence.users.flatMap { user in
                user.devices.compactMap { device in
                    N6Checker.convergedAt(N6Checker.given(device), last: user.fold.last.unread)
                        .map { max(0, $0 - user.quietAt) }
                }
            }
            report.add("devices", "devices that know the last badge", late.count)
            report.add("converged_ms", "the last of them after quiet", Int(late.max() ?? 0), "ms")
            report.violations += N6Checker.findings(evidence).sentences
            try options.publish(report)
        }
    }
}

extension [String: Int] {
    fileprivate static func + (left: Self, right: Self) -> Self { left.merging(right) { $1 } }
}
