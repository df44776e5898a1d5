import EventLoop
import Wire

/// P-2a: one message per POST to one recipient with one offline device, whole path, durable.
enum IngestBenchmark {
    static let command = LoadtestCommand(
        name: "p2a", summary: "Message in by HTTP, durable, push out over TLS: the whole path",
        options: [
            LoadtestCommand.rouse, Option("seconds", "S", "How long each phase sends (5)"),
            Option("connections", "N", "Keep-alive connections of single messages (64)"),
            Option("users", "N", "Recipients, each with one offline device (2000)"),
            Option("ndjson", "N", "Lines of a request in the second phase; 0 leaves it out (100)"),
            Option("ndjson-connections", "N", "Connections of the second phase (8)"), LoadtestCommand.json,
        ],
        details: """
            Starts a server on a private Postgres, simulated providers in a process of their own, and sends in a
            closed loop; then waits until as many pushes as messages have arrived, and fails if it is not exactly
            as many. CPU is per push, of each process. The references are taken on the same Postgres before.
            """,
        run: { options in try await Run(options).run() })

    struct Run: Sendable {
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
            connections = try options.number("connections", in: 1...5_000, default: 64)
            users = try options.number("users", in: 1...999_999, default: 2_000)
            lines = try options.number("ndjson", in: 0...1_000, default: 100)
            lineConnections = try options.number("ndjson-connections", in: 1...1_000, default: 8)
            json = options["json"]
        }

        func run() async throws {
            let directory = try LocalFiles.makeScratchDirectory()
            let providers = try await ProviderProcess.start(in: directory, keep: 1, strict: false, on: loop)
            let server = try await ServerProcess(
                program: program, directory: directory, providers: providers, on: loop)
            Progress.say("starting the server")
            try await server.start()
            let tenant = try await LoadTenant.create(on: server, loop)
            Progress.say("registering \(users) devices")
            try await RegistrationLoad.run(tenant, users: users, on: server, loop)
            var report = Report("p2a: \(users) users with one offline device each")
            report.add("load_average", "load average at the start", ProcessStatistics.loadAverage)
            try await PostgresReference.add(server.postgres, to: &report)
            let rig = PushRig(
                server: server, providers: providers, users: users, numbers: numbers)
            let single = template(tenant, server, lines: nil)
            Progress.say("warming up")
            _ = try await rig.phase(single, connections: connections, seconds: Self.warmUpSeconds)
            Progress.say("single messages over \(connections) connections")
            let phase = try await rig.phase(single, connections: connections, seconds: seconds)
            phase.add(to: &report, key: "single", "one message per POST")
            if lines > 0 {
                Progress.say("\(lines) lines a request over \(lineConnections) connections")
                let many = try await rig.phase(
                    template(tenant, server, lines: lines), connections: lineConnections, seconds: seconds)
                many.add(to: &report, key: "ndjson", "NDJSON of \(lines)")
            }
            try report.publish(json: json)
        }

        private func template(_ tenant: LoadTenant, _ server: ServerProcess, lines: Int?) -> RequestTemplate {
            RequestTemplate(
                apiKey: tenant.apiKey, host: "\(server.publicAddress)", lines: lines, conversations: .perUser)
        }
    }
}
