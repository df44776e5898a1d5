import EventLoop

/// P-8: message in by HTTP, ENTRY at a connected device, APPLIED, task gone; no push.
enum OnlineBenchmark {
    static let command = LoadtestCommand(
        name: "p8", summary: "The online path: message, ENTRY at a connected device, APPLIED, task gone",
        options: [
            LoadtestCommand.rouse, Option("seconds", "S", "How long each phase sends (5)"),
            Option("connections", "N", "Keep-alive connections of single messages (64)"),
            Option("users", "N", "Recipients, each with one connected device that applies (2000)"),
            Option("ndjson", "N", "Lines of a request in the second phase; 0 leaves it out (100)"),
            Option("ndjson-connections", "N", "Connections of the second phase (8)"), LoadtestCommand.json,
        ],
        details: """
            As p2a, with the devices connected and wakeable: each message makes a task that its device's APPLIED
            ends. Fails unless every message is an entry at its device, every task is ended so, and no push goes
            out. The rate counts to the moment when no task is open. The generator holds the devices, too.
            """,
        run: { options in try await Run(options).run() })

    private struct Run: Sendable {
        private static let warmUpSeconds = 1.0

        private let program: String
        private let seconds: Double
        private let connections: Int
        private let users: Int
        private let lines: Int
        private let lineConnections: Int
        private let json: String?
        private let loop = EventLoop(label: "generator")
        private let numbers = MessageNumbers()

        init(_ options: Options) throws(UsageFailure) {
            program = options["rouse"] ?? ServerProcess.standardProgram
            seconds = Double(try options.number("seconds", in: 1...600, default: 5))
            connections = try options.number("connections", in: 1...4_000, default: 64)
            users = try options.number("users", in: 1...15_000, default: 2_000)
            lines = try options.number("ndjson", in: 0...1_000, default: 100)
            lineConnections = try options.number("ndjson-connections", in: 1...1_000, default: 8)
            json = options["json"]
        }

        func run() async throws {
            let directory = try LocalFiles.makeScratchDirectory()
            let providers = try await ProviderProcess.start(in: directory, keep: 1, strict: false, on: loop)
            var settings = ServerSettings()
            settings.limits = ["connections": users + 5_000]
            let server = try await ServerProcess(
                program: program, directory: directory, providers: providers, settings: settings, on: loop)
            try await server.start()
            let tenant = try await LoadTenant.create(on: server, loop)
            Progress.say("registering and connecting \(users) devices")
            try await RegistrationLoad.run(tenant, users: users, on: server, loop)
            let fleet = try await connect(tenant, server)
            var report = Report("p8: \(users) users with one connected device each")
            report.add("load_average", "load average at the start", ProcessStatistics.loadAverage)
            let rig = OnlineRig(
                server: server, providers: providers, fleet: fleet, users: users, numbers: numbers, loop: loop
            )
            let single = template(tenant, server, lines: nil)
            Progress.say("warming up")
            _ = try await rig.phase(single, connections: connections, seconds: Self.warmUpSeconds)
            Progress.say("single messages over \(connections) connections")
            try await rig.phase(single, connections: connections, seconds: seconds)
                .add(to: &report, key: "single", "one message per POST")
            if lines > 0 {
                Progress.say("\(lines) lines a request over \(lineConnections) connections")
                try await rig.phase(
                    template(tenant, server, lines: lines), connections: lineConnections, seconds: seconds
                ).add(to: &report, key: "ndjson", "NDJSON of \(lines)")
            }
            try await check(providers, fleet, &report)
            await fleet.stop()
            try report.publish(json: json)
        }

        private func template(_ tenant: LoadTenant, _ server: ServerProcess, lines: Int?) -> RequestTemplate {
            RequestTemplate(
                apiKey: tenant.apiKey, host: "\(server.publicAddress)", lines: lines, conversations: .perUser)
        }

        private func connect(_ tenant: LoadTenant, _ server: ServerProcess) async throws -> DeviceFleet {
            let fleet = DeviceFleet(to: [server.publicAddress])
            await fleet.add(
                (0..<users).map { user in DeviceProfile { try tenant.credential(of: user) } })
            let users = users
            fleet.connect(withinMilliseconds: users / 4)
            guard await fleet.waits(withinMilliseconds: 60_000, until: { $0.online == users }) else {
                throw LoadtestFailure("not every device is connected: \(await fleet.totals)")
            }
            return fleet
        }

        private func check(
            _ providers: ProviderProcess, _ fleet: DeviceFleet, _ report: inout Report
        ) async throws {
            let pushes = try await providers.received()
            report.add("pushes", "pushes at the providers", pushes)
            var found = Findings()
            for (code, count) in await fleet.totals.ends {
                found.add("connections ended under the load", "\(count) by \(code)")
            }
            found.expect("pushes for devices that are connected and apply", pushes, equals: 0)
            for (user, seen) in await fleet.observations.enumerated() {
                for violation in seen.violations {
                    found.add(
                        "a device was sent its entries wrongly", "\(LoadTenant.user(user)): \(violation)")
                }
            }
            report.violations += found.sentences
        }
    }
}
