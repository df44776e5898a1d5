import EventLoop
import Glibc
import Synchronization
import Wire

/// P-4: what an idle connection costs, and what happens when no descriptor is left.
enum IdleBenchmark {
    static let command = LoadtestCommand(
        name: "p4", summary: "Thousands of idle connections to one process, to its last descriptor and back",
        options: [
            LoadtestCommand.rouse, Option("connections", "N", "Idle authenticated connections (19000)"),
            Option("extra", "N", "Further ones, above what descriptors allow (1500)"),
            Option("leave", "N", "How many then leave; half as many come anew (1000)"),
            Option("idle", "S", "How long they idle: more than 30 s sees a ping (40)"),
            Option("limit", "N", "The server's limits.connections (1000000)"), LoadtestCommand.json,
        ],
        details: """
            The connections are held by other processes. Prints what the server's memory grew by for each, and
            its CPU while all idle. Then more connect than there are descriptors (ulimit -n): fails unless each
            of them either gets in or is told at once that it does not, nobody else loses the connection, and
            when some leave, new ones get in.
            """,
        run: { options in try await Run(options).run() })

    private struct Run: Sendable {
        private static let connectSeconds = 120
        private static let refusalMilliseconds = 5_000

        private let program: String
        private let connections: Int
        private let extra: Int
        private let leave: Int
        private let idle: Int
        private let limit: Int
        private let json: String?
        private let loop = EventLoop(label: "p4")

        init(_ options: Options) throws(UsageFailure) {
            program = options["rouse"] ?? ServerProcess.standardProgram
            connections = try options.number("connections", in: 2...19_900, default: 19_000)
            extra = try options.number("extra", in: 0...10_000, default: 1_500)
            leave = try options.number("leave", in: 1...10_000, default: 1_000)
            idle = try options.number("idle", in: 1...3_600, default: 40)
            limit = try options.number("limit", in: 1...1_000_000, default: 1_000_000)
            json = options["json"]
            guard leave < connections else { throw UsageFailure("--leave must be less than --connections") }
        }

        func run() async throws {
            let directory = try LocalFiles.makeScratchDirectory()
            let providers = try await ProviderProcess.start(
                in: directory, keep: 100_000, strict: false, on: loop)
            var settings = ServerSettings()
            settings.limits = ["connections": limit]
            let server = try await ServerProcess(
                program: program, directory: directory, providers: providers, settings: settings, on: loop)
            try await server.start()
            let tenant = try await LoadTenant.create(on: server, loop)
            Progress.say("registering \(connections + extra + leave) devices")
            try await RegistrationLoad.run(tenant, users: connections + extra + leave, on: server, loop)
            var report = Report("p4: \(connections) idle authenticated connections, then \(extra) more")
            let crowd = try await connect(tenant, server, directory, &report)
            try await edge(crowd, tenant, server, &report)
            try report.publish(json: json)
        }

        /// The processes that hold the idle connections.
        private struct Crowd: Sendable {
            let stayers: DeviceProcess
            let leavers: DeviceProcess

            /// Connections that ended, from both.
            var ended: Int { stayers.count("ended") + leavers.count("ended") }

            /// How many are online, by the processes' own counts.
            func online() async throws -> Int { try await stayers.online() + leavers.online() }
        }

        // MARK: Idle

        private func connect(
            _ tenant: LoadTenant, _ server: ServerProcess, _ directory: String, _ report: inout Report
        ) async throws -> Crowd {
            try await Task.sleep(for: .seconds(3))
            guard let before = ProcessMemory.of(server.pid) else {
                throw LoadtestFailure("the server is gone")
            }
            let tokens = try (0..<connections).map { try tenant.credential(of: $0) }
            let begun = MonotonicClock.now()
            let crowd = Crowd(
                stayers: try hold(tokens.dropLast(leave), server, directory),
                leavers: try hold(tokens.suffix(leave), server, directory))
            let deadline = begun + UInt64(Self.connectSeconds) * 1_000_000_000
            var count = 0
            while count < connections, MonotonicClock.now() < deadline { count = try await crowd.online() }
            let elapsed = Double(MonotonicClock.now() - begun) / 1e9
            let again = crowd.ended
            Progress.say("\(count) are authenticated after \(Decimal.text(elapsed)) s")
            report.add("authenticated", "connections authenticated", count)
            report.add("connect_seconds", "after", elapsed, "s")
            report.add("connect_again", "of them after an end by the server", again)
            if count != connections {
                report.violations.append("\(count) of \(connections) connections were authenticated")
            }
            try await watchIdle(server, before, count, crowd, again, &report)
            return crowd
        }

        private func hold(
            _ tokens: some Sequence<String>, _ server: ServerProcess, _ directory: String
        ) throws -> DeviceProcess {
            let tokens = Array(tokens)
            return try DeviceProcess(
                in: nil, to: server.publicAddress, credentials: tokens,
                ["--events", "few", "--spread", "\(tokens.count / 2)", "--return", "2000"],
                directory: directory)
        }

        private func watchIdle(
            _ server: ServerProcess, _ before: ProcessMemory, _ count: Int, _ crowd: Crowd,
            _ again: Int, _ report: inout Report
        ) async throws {
            Progress.say("idling for \(idle) s")
            let cpu = ProcessStatistics.cpuSeconds(of: server.pid) ?? 0
            try await Task.sleep(for: .seconds(idle))
            guard let after = ProcessMemory.of(server.pid) else {
                throw LoadtestFailure("the server is gone")
            }
            let used = (ProcessStatistics.cpuSeconds(of: server.pid) ?? 0) - cpu
            func each(_ part: (ProcessMemory) -> Int) -> Double {
                Double(part(after) - part(before)) / Double(max(1, count))
            }
            report.add("resident_before", "RSS before", before.resident / 1_024, "kB")
            report.add("resident_after", "RSS with all connected", after.resident / 1_024, "kB")
            report.add("resident_each", "RSS for each connection", each(\.resident), "bytes")
            report.add("proportional_each", "PSS for each connection", each(\.proportional), "bytes")
            report.add("anonymous_each", "of that heap and stacks", each(\.anonymous), "bytes")
            report.add("idle_cpu", "CPU while all idle", used / Double(idle) * 100, "% of a core")
            let ended = crowd.ended - again
            if ended > 0 { report.violations.append("\(ended) idle connections ended") }
        }

        // MARK: No descriptor left

        private func edge(
            _ crowd: Crowd, _ tenant: LoadTenant, _ server: ServerProcess, _ report: inout Report
        ) async throws {
            let reasons = RefusalReasons()
            let endedBefore = crowd.ended
            var settings = FleetSettings()
            settings.connectMilliseconds = Self.refusalMilliseconds
            let late = DeviceFleet(to: [server.publicAddress], settings: settings) { reasons.note($0) }
            await late.add(profiles(connections..<(connections + extra), tenant))
            Progress.say("\(extra) more connect")
            late.connect(withinMilliseconds: 1_000)
            _ = await late.waits(withinMilliseconds: 3 * Self.refusalMilliseconds) {
                $0.online + $0.refusals.values.reduce(0, +) + $0.ends.values.reduce(0, +) >= extra
            }
            let totals = await late.totals
            report.add(
                "descriptors", "the server's descriptors then", ProcessMemory.descriptors(of: server.pid) ?? 0
            )
            report.add("extra_online", "of the \(extra) more, authenticated", totals.online)
            for (reason, count) in reasons.counts.sorted(by: { $0.key < $1.key }) {
                report.add("extra_\(reason)", "of the \(extra) more, \(reason)", count)
            }
            let unheard = extra - totals.online - reasons.heard
            if unheard > 0 {
                report.violations.append(
                    "\(unheard) of \(extra) more connections were neither let in nor told so within "
                        + "\(Self.refusalMilliseconds) ms: \(reasons.counts)")
            }
            if extra > 0, totals.online == extra {
                report.violations.append("all \(extra) more got in: the limit was not reached")
            }
            let ended = crowd.ended - endedBefore
            if ended > 0 { report.violations.append("\(ended) of those connected before lost it") }
            try await returnFromEdge(crowd, late, tenant, server, &report)
        }

        private func returnFromEdge(
            _ crowd: Crowd, _ late: DeviceFleet, _ tenant: LoadTenant, _ server: ServerProcess,
            _ report: inout Report
        ) async throws {
            let ended = crowd.stayers.count("ended")
            Progress.say("\(leave) leave, \(leave / 2) others come")
            try await crowd.leavers.kill()
            try await Task.sleep(for: .milliseconds(500))
            let fresh = DeviceFleet(to: [server.publicAddress])
            let first = connections + extra
            await fresh.add(profiles(first..<(first + leave / 2), tenant))
            let begun = MonotonicClock.now()
            fresh.connect(withinMilliseconds: 1_000)
            let count = leave / 2
            let areIn = await fresh.waits(withinMilliseconds: 20_000) { $0.online == count }
            report.add(
                "fresh_online", "of \(count) others after \(leave) left, authenticated",
                await fresh.totals.online)
            report.add("fresh_ms", "after", Int((MonotonicClock.now() - begun) / 1_000_000), "ms")
            if !areIn {
                report.violations.append(
                    "after \(leave) left, \(await fresh.totals.online) of \(count) others got in")
            }
            if crowd.stayers.count("ended") > ended {
                report.violations.append("some of those connected before lost it when others left")
            }
            await fresh.stop()
            await late.stop()
        }

        private func profiles(_ users: Range<Int>, _ tenant: LoadTenant) -> [DeviceProfile] {
            users.map { user in DeviceProfile { try tenant.credential(of: user) } }
        }
    }

    /// What those heard that did not get in.
    private final class RefusalReasons: Sendable {
        private let all = Mutex<[String: Int]>([:])

        var counts: [String: Int] { all.withLock { $0 } }

        /// Those that were told, by a status, a close frame or a reset.
        var heard: Int { counts.filter { $0.key != "unheard" }.values.reduce(0, +) }

        func note(_ event: DeviceEvent) {
            let word: String
            switch event.happening {
            case .refused(let status, let reason):
                word =
                    status > 0
                    ? "answered_\(status)"
                    : reason.contains("in time") || reason.contains("timedOut") ? "unheard" : "reset"
            case .ended(let code, _): word = "closed_\(code)"
            default: return
            }
            all.withLock { $0[word, default: 0] += 1 }
        }
    }
}

extension DeviceProcess {
    /// How many of its devices are online; asks it and waits for the answer.
    fileprivate func online() async throws -> Int {
        let before = count("totals")
        try order("totals")
        try await reached("totals", times: before + 1)
        return events.last { $0["event"]?.string == "totals" }?["online"]?.integer.map { Int($0) } ?? 0
    }
}
