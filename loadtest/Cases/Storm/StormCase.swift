import EventLoop
import Wire

/// Must show 3 of the third job: thousands of devices drop and return at once while messages flow.
enum StormCase {
    static let command = LoadtestCommand(
        name: "storm", summary: "Devices drop and return by the thousand while messages flow",
        options: [
            Option("devices", "N", "Connected devices, two of each user (10000)"),
            Option("window", "S", "Within how long they return (5)"),
            Option("storms", "N", "How often (2)"),
            Option("rate", "N", "Messages a second, all along (400)"),
            Option("calm", "S", "How long it is quiet before and after each storm (10)"),
            Option("settle", "S", "How long a push that must not come is waited for at the end (20)"),
        ] + CaseOptions.shared,
        details: """
            A third of the devices closes in order, a third ends the stream, a third resets it. Holds if each
            device got every entry of its user once and in order; if every push told of an entry that its
            device had not applied when it left, or that came while it was away; if every task has an outcome;
            and if memory and latency are back after the last storm.
            """,
        run: { options in try await Run(options).run() })

    private struct Run: Sendable {
        private let devices: Int
        private let window: Int
        private let storms: Int
        private let rate: Int
        private let calm: Int
        private let settle: Int
        private let options: CaseOptions
        private let loop = EventLoop(label: "storm")
        private var users: Int { devices / 2 }

        init(_ options: Options) throws(UsageFailure) {
            devices = try options.number("devices", in: 2...19_000, default: 10_000)
            window = try options.number("window", in: 1...600, default: 5)
            storms = try options.number("storms", in: 1...100, default: 2)
            rate = try options.number("rate", in: 1...100_000, default: 400)
            calm = try options.number("calm", in: 1...600, default: 10)
            settle = try options.number("settle", in: 0...600, default: 20)
            self.options = try CaseOptions(options, rule: nil)
        }

        func run() async throws {
            let target = try await options.open(
                keptPushes: 2_000_000, limits: ["connections": devices + 500], on: loop)
            Progress.say("registering \(devices) devices")
            try await RegistrationLoad.run(
                target.tenant, users: users, devices: LoadTenant.bothDevices, on: target.server, loop)
            let fleet = DeviceFleet(
                to: [target.server.publicAddress], settings: FleetSettings(keepsEntries: true))
            try await connect(fleet, target)
            let before = try await target.metrics()
            var watch = try await PushWatch(target.providers)
            let flow = await MessageFlow.start(plan(target), to: target.server.publicAddress, on: loop)
            var phases = [try await phase("before", calm, fleet, flow, target)]
            for number in 1...storms { phases += try await storm(number, fleet, flow, target) }
            let sent = await flow.finished()
            _ = await fleet.waits(withinMilliseconds: 20_000) { $0.online == devices }
            Progress.say("waiting \(settle) s for a push that must not come")
            try await Task.sleep(for: .seconds(settle))
            _ = try await target.tasksEnd(withinSeconds: 20)
            try await watch.await(0)
            let counts = try await target.metrics().since(before)
            try await report(fleet, sent, watch, counts, phases)
            await fleet.stop()
        }

        private func connect(_ fleet: DeviceFleet, _ target: CaseTarget) async throws {
            await fleet.add(
                try (0..<devices).map { number in
                    var profile = try target.profile(number / 2, LoadTenant.bothDevices[number % 2])
                    profile.returnsWithinMilliseconds = window * 1_000
                    return profile
                })
            fleet.connect(withinMilliseconds: devices / 3)
            let devices = devices
            guard await fleet.waits(withinMilliseconds: 60_000, until: { $0.online == devices }) else {
                throw LoadtestFailure("not every device is connected: \(await fleet.totals)")
            }
            _ = await fleet.takeLatencies()
        }

        private func plan(_ target: CaseTarget) -> MessageFlow.Plan {
            var plan = MessageFlow.Plan(target.template(.perUser), users: users)
            plan.rate = rate
            return plan
        }

        // MARK: Phases

        private func storm(
            _ number: Int, _ fleet: DeviceFleet, _ flow: MessageFlow.Running, _ target: CaseTarget
        ) async throws -> [StormPhase] {
            Progress.say("storm \(number): \(devices) devices drop and return within \(window) s")
            let begun = MonotonicClock.now()
            let third = devices / 3
            let parts = [0..<third, third..<(2 * third), (2 * third)..<devices]
            for (part, manner) in zip(parts, DropManner.allCases) {
                fleet.drop(part, manner, returningWithinMilliseconds: window * 1_000)
            }
            var during = try await phase("storm \(number)", window, fleet, flow, target)
            let devices = devices
            let areBack = await fleet.waits(withinMilliseconds: 60_000) { $0.online == devices }
            guard areBack else { throw LoadtestFailure("not all are back: \(await fleet.totals)") }
            during.backMilliseconds = Int((MonotonicClock.now() - begun) / 1_000_000)
            try await Task.sleep(for: .seconds(2))
            return [during, try await phase("after \(number)", calm, fleet, flow, target)]
        }

        /// Watches memory for so long, and takes the times of that while.
        private func phase(
            _ name: String, _ seconds: Int, _ fleet: DeviceFleet, _ flow: MessageFlow.Running,
            _ target: CaseTarget
        ) async throws -> StormPhase {
            var phase = StormPhase(name: name)
            _ = await fleet.takeLatencies()
            _ = await flow.takeLatencies()
            let deadline = MonotonicClock.now() + UInt64(seconds) * 1_000_000_000
            while MonotonicClock.now() < deadline {
                try await Task.sleep(for: .milliseconds(250))
                guard let pid = target.processes?.server.pid else { continue }
                phase.note(ProcessMemory.of(pid)?.resident ?? 0)
            }
            phase.entries = await fleet.takeLatencies()
            phase.answers = await flow.takeLatencies()
            Progress.say(phase.line)
            return phase
        }

        // MARK: The report

        private func report(
            _ fleet: DeviceFleet, _ flow: MessageFlow.Result, _ watch: PushWatch, _ counts: PushCounts,
            _ phases: [StormPhase]
        ) async throws {
            var evidence = StormChecker.Evidence()
            evidence.users = users
            evidence.messages = flow.acknowledged
            evidence.devices = await fleet.observations
            evidence.counts = counts
            evidence.acknowledgedAt = flow.acknowledgedAt.map {
                $0 > fleet.origin ? Int(($0 - fleet.origin) / 1_000_000) + 1 : 0
            }
            evidence.pushes = pushes(watch, fleet)
            var report = Report(
                options.title(
                    "storm: \(devices) devices drop and return within \(window) s, \(storms) times, at \(rate) messages/s"
                ))
            let totals = await fleet.totals
            report.add("messages", "messages acknowledged", flow.acknowledged)
            report.add("entries", "entries at the devices, with those repeated unapplied", totals.entries)
            report.add("authentications", "connections made", totals.authentications)
            report.add("refused", "attempts without a connection", totals.refusals.values.reduce(0, +))
            report.add(
                "missed", "entries that a device missed for \(evidence.missedMilliseconds) ms",
                StormChecker.missed(evidence).count)
            report.add("pushes", "pushes at the providers", evidence.pushes.count)
            let verdicts = Dictionary(
                StormChecker.verdicts(evidence).map { ($0, 1) }, uniquingKeysWith: +)
            for verdict in StormChecker.Verdict.allCases {
                report.add("pushes_\(verdict.rawValue)", "of them \(verdict.words)", verdicts[verdict] ?? 0)
            }
            report.tables = [StormPhase.table(phases)]
            report.violations += StormChecker.findings(evidence).sentences
            report.violations += StormPhase.violations(phases)
            try options.publish(report)
        }

        private func pushes(_ watch: PushWatch, _ fleet: DeviceFleet) -> [StormChecker.Push] {
            var devices: [String: Int] = [:]
            for number in 0..<self.devices {
                devices[LoadTenant.token(number / 2, device: LoadTenant.bothDevices[number % 2])] = number
            }
            // The providers tell the time of day, the fleet counts from its beginning.
            let offset = WallClock.now() - Int64((MonotonicClock.now() - fleet.origin) / 1_000_000)
            return watch.pushes.compactMap { push in
                guard push.status == 200, let device = devices[push.token],
                    let message = Int(push.messageID.dropFirst(2))
                else { return nil }
                return StormChecker.Push(
                    device: device, message: message, at: Int(push.receivedAt - offset) + 1)
            }
        }
    }
}

extension StormChecker.Verdict {
    fileprivate var words: String {
        switch self {
        case .away: "owed since the device was away"
        case .late: "owed since the entry was written late"
        case .unfounded: "of an entry applied in time"
        case .overtaken: "long after APPLIED"
        case .unknown: "of an entry never received"
        }
    }
}
