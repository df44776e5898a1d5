import EventLoop
import Wire

/// N-1: several devices. The one that is online never spares the one that is not.
enum N1Case {
    static let command = LoadtestCommand(
        name: "n1", summary: "N-1: phones online and applying, tablets offline: each device decides alone",
        options: [
            Option("users", "N", "Users, each with a phone online and a tablet offline (5000)"),
            Option("messages", "N", "Messages for each user (10)"),
            Option("rate", "N", "Messages a second; 0: as fast as they are acknowledged (2000)"),
            Option("time", "S", "Instead of --messages: send for so long"),
            Option("settle", "S", "How long a push that must not come is waited for afterwards (20)"),
        ] + CaseOptions.shared,
        details: """
            Holds if the providers got exactly one push for each tablet and message and none for a phone, every
            task has an outcome, nothing was suppressed because another device is online, pd1_violations is 0,
            each tablet's last badge is its unread, and each phone got every entry once and in order.
            Merge window 0, limits out of reach.
            """,
        run: { options in try await Run(options).run() })

    private struct Run: Sendable {
        private let users: Int
        private let messages: Int
        private let rate: Int
        private let seconds: Int?
        private let settle: Int
        private let options: CaseOptions
        private let loop = EventLoop(label: "n1")

        init(_ options: Options) throws(UsageFailure) {
            users = try options.number("users", in: 1...15_000, default: 5_000)
            messages = try options.number("messages", in: 1...10_000, default: 10)
            rate = try options.number("rate", in: 0...1_000_000, default: 2_000)
            seconds = options["time"] == nil ? nil : try options.number("time", in: 1...86_400, default: 1)
            settle = try options.number("settle", in: 0...600, default: 20)
            self.options = try CaseOptions(options, rule: "each-device-decides")
        }

        func run() async throws {
            let target = try await options.open(
                keptPushes: 4 * max(users * messages, rate * (seconds ?? 0), 100_000),
                limits: ["connections": users + 500], on: loop)
            Progress.say("registering \(users) phones and tablets")
            try await RegistrationLoad.run(
                target.tenant, users: users, devices: LoadTenant.bothDevices, on: target.server, loop)
            let fleet = DeviceFleet(
                to: [target.server.publicAddress], settings: FleetSettings(keepsEntries: true))
            try await connect(fleet, target)
            let before = try await target.metrics()
            var watch = try await PushWatch(target.providers)
            let flow = try await send(target, fleet, &watch)
            Progress.say("waiting \(settle) s for a push that must not come")
            try await Task.sleep(for: .seconds(settle))
            try await watch.await(flow.sent)
            _ = try await target.tasksEnd(withinSeconds: 20)
            var report = Report(
                options.title("n1: \(users) users, phone online and tablet offline, \(flow.sent) messages"))
            let evidence = try await evidence(target, fleet, flow, watch, before)
            try await add(evidence, flow, fleet, to: &report)
            await fleet.stop()
            try options.publish(report)
        }

        private func connect(_ fleet: DeviceFleet, _ target: CaseTarget) async throws {
            await fleet.add(try (0..<users).map { try target.profile($0, LoadTenant.phone) })
            let (begun, users) = (MonotonicClock.now(), users)
            fleet.connect(withinMilliseconds: users / 3)
            guard await fleet.waits(withinMilliseconds: 60_000, until: { $0.online == users }) else {
                throw LoadtestFailure("not every phone is connected: \(await fleet.totals)")
            }
            Progress.say("\(users) phones are online after \((MonotonicClock.now() - begun) / 1_000_000) ms")
        }

        private func send(
            _ target: CaseTarget, _ fleet: DeviceFleet, _ watch: inout PushWatch
        ) async throws -> MessageFlow.Result {
            var plan = MessageFlow.Plan(target.template(.perUser), users: users)
            plan.count = seconds == nil ? users * messages : nil
            plan.rate = rate
            let running = await MessageFlow.start(plan, to: target.server.publicAddress, on: loop)
            let deadline = MonotonicClock.now() + UInt64(seconds ?? 86_400) * 1_000_000_000
            while MonotonicClock.now() < deadline {
                let sent = await running.progress.acknowledged
                try await watch.look()
                let entries = await fleet.totals.entries
                Progress.say("\(sent) acknowledged, \(entries) at the phones, \(watch.pushes.count) pushed")
                if sent >= plan.count ?? .max { break }
                try await Task.sleep(for: .milliseconds(1_000))
            }
            return await running.finished()
        }

        private func evidence(
            _ target: CaseTarget, _ fleet: DeviceFleet, _ flow: MessageFlow.Result, _ watch: PushWatch,
            _ before: PushCounts
        ) async throws -> N1Checker.Evidence {
            var evidence = N1Checker.Evidence()
            evidence.users = users
            evidence.messages = flow.acknowledged
            evidence.acknowledgedTasks = flow.tasks
            evidence.pushes = watch.pushes
            evidence.counts = try await target.metrics().since(before)
            evidence.unread = try await target.ask(users, as: LoadTenant.device, "/v1/badge").map {
                $0["total_unread"]?.integer ?? -1
            }
            evidence.phones = await fleet.observations
            return evidence
        }

        private func add(
            _ evidence: N1Checker.Evidence, _ flow: MessageFlow.Result, _ fleet: DeviceFleet,
            to report: inout Report
        ) async throws {
            let latencies = await fleet.takeLatencies()
            let counts = evidence.counts
            report.add("messages", "messages acknowledged", flow.acknowledged)
            report.add("messages_per_s", "messages", Double(flow.acknowledged) / flow.seconds, "/s")
            report.add("repeated", "messages repeated until acknowledged", flow.repeated)
            report.add("pushes", "pushes at the providers", evidence.pushes.count)
            report.add("entries", "entries at the phones", evidence.phones.reduce(0) { $0 + $1.entries })
            report.add("entry_p50_us", "sent to ENTRY, median", latencies.percentile(50) ?? .nan, "µs")
            report.add("entry_p99_us", "sent to ENTRY, 99 of 100", latencies.percentile(99) ?? .nan, "µs")
            report.add("tasks", "tasks made", counts.tasksMade)
            report.add("tasks_open", "tasks still open", counts.tasksOpen)
            for (words, count) in counts.outcomes.sorted(by: { $0.key.joined() < $1.key.joined() }) {
                let name = words.filter { !$0.isEmpty }.joined(separator: ", ")
                report.add("outcome_\(words.joined(separator: "_"))", "outcome \(name)", count)
            }
            report.add(
                "suppressed_other_device", "suppressions, another device online",
                counts.suppressedForOtherDevices)
            if let violations = counts.pd1Violations {
                report.add("pd1_violations", "rouse_pd1_violations", violations)
            }
            if !flow.unexpected.isEmpty {
                report.violations.append("messages were answered otherwise: \(flow.unexpected)")
            }
            report.violations += N1Checker.findings(evidence).sentences
        }
    }
}
