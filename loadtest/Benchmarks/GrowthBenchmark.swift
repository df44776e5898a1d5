import EventLoop
import Glibc
import Store

/// P-9: what a push costs when ten thousand devices are registered, and when a million are.
enum GrowthBenchmark {
    static let command = LoadtestCommand(
        name: "p9", summary: "Growth: the CPU of a push from ten thousand to a million registered devices",
        options: [
            LoadtestCommand.rouse, Option("seconds", "S", "How long each phase sends (10)"),
            Option("small", "N", "Devices at first (10000)"), Option("large", "N", "And then (1000000)"),
            Option("connections", "N", "Keep-alive connections (64)"), LoadtestCommand.json,
        ],
        details: """
            One device for each user; the first are registered over HTTP, all others by the server's own store
            while the server is down. Then as p2a, single messages, whose recipients are spread over all users,
            so that most have to be loaded. The ratio is that of the CPU of server and Postgres for each push;
            the references are taken on the same Postgres, before each.
            """,
        run: { options in try await Run(options).run() })

    private struct Run: Sendable {
        private static let warmUpSeconds = 1.0
        /// A prime above: neighbours in time are none in the tables.
        private static let userStride = 7_919

        private let program: String
        private let seconds: Double
        private let sizes: [Int]
        private let connections: Int
        private let json: String?
        private let loop = EventLoop(label: "generator")

        init(_ options: Options) throws(UsageFailure) {
            program = options["rouse"] ?? ServerProcess.standardProgram
            seconds = Double(try options.number("seconds", in: 1...600, default: 10))
            let small = try options.number("small", in: 1...100_000, default: 10_000)
            let large = try options.number("large", in: small...1_000_000, default: 1_000_000)
            sizes = [small, large]
            connections = try options.number("connections", in: 1...5_000, default: 64)
            json = options["json"]
        }

        func run() async throws {
            let directory = try LocalFiles.makeScratchDirectory()
            let providers = try await ProviderProcess.start(in: directory, keep: 1, strict: false, on: loop)
            // Outlives the server, in the place where the server's own would be.
            let postgres = try await SharedPostgres.start(in: directory, as: "data")
            var settings = ServerSettings()
            settings.databaseURL = postgres.url
            let server = try await ServerProcess(
                program: program, directory: directory, providers: providers, settings: settings, on: loop)
            Progress.say("starting the server")
            try await server.start()
            let tenant = try await LoadTenant.create(on: server, loop)
            var rig = PushRig(
                server: server, providers: providers, users: sizes[0], numbers: MessageNumbers())
            rig.stride = Self.userStride
            var report = Report("p9: \(sizes[0]) and \(sizes[1]) registered devices")
            report.add("load_average", "load average at the start", ProcessStatistics.loadAverage)
            Progress.say("registering \(sizes[0]) devices")
            try await RegistrationLoad.run(tenant, users: sizes[0], on: server, loop)
            // Both times the server has just been started, and has to load who is pushed.
            try await end(server)
            try await settle(server)
            try await server.start()
            let small = try await measure(rig, tenant, "small", to: &report)
            try await fill(server, tenant, directory, to: &report)
            rig.users = sizes[1]
            let large = try await measure(rig, tenant, "large", to: &report)
            add([small, large], to: &report)
            try report.publish(json: json)
        }

        private func end(_ server: ServerProcess) async throws {
            server.signal(SIGTERM)
            guard await server.ended(withinMilliseconds: 30_000) != nil else {
                throw LoadtestFailure("the server does not end")
            }
        }

        private func fill(
            _ server: ServerProcess, _ tenant: LoadTenant, _ directory: String, to report: inout Report
        ) async throws {
            try await end(server)
            let begun = MonotonicClock.now()
            Progress.say("filling up to \(sizes[1]) devices")
            let fill = DeviceFill(
                postgres: server.postgres.configuration, keyFile: "\(directory)/master.key",
                tenant: tenant.name)
            try await fill.run(sizes[0]..<sizes[1])
            let seconds = Double(MonotonicClock.now() - begun) / 1e9
            report.add("fill_per_s", "devices filled in", Double(sizes[1] - sizes[0]) / seconds, "/s")
            try await settle(server)
            try await server.start()
        }

        /// What many new rows leave to be done for Postgres is done before, not while it is measured.
        private func settle(_ server: ServerProcess) async throws {
            let pool = PostgresPool(server.postgres.configuration, on: EventLoop(label: "settle"), size: 1)
            defer { pool.close() }
            for statement in ["vacuum (analyze)", "checkpoint"] {
                _ = try await pool.execute(Query(name: "", sql: statement)) { _ in }
            }
        }

        private func measure(
            _ rig: PushRig, _ tenant: LoadTenant, _ key: String, to report: inout Report
        ) async throws -> [String: Double] {
            let size = rig.users
            try await PostgresReference.add(rig.server.postgres, to: &report)
            let template = RequestTemplate(
                apiKey: tenant.apiKey, host: "\(rig.server.publicAddress)", lines: nil,
                conversations: .perUser)
            _ = try await rig.phase(template, connections: connections, seconds: Self.warmUpSeconds)
            Progress.say("messages to \(size) users")
            let phase = try await rig.phase(template, connections: connections, seconds: seconds)
            phase.add(to: &report, key: key, "\(size) devices")
            report.add(
                "\(key)_resident", "\(size) devices: RSS of the server",
                Double(ProcessMemory.of(rig.server.pid)?.resident ?? 0) / 1e6, "MB")
            return Dictionary(phase.cpu.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        }

        private func add(_ costs: [[String: Double]], to report: inout Report) {
            func ratio(_ names: [String]) -> Double {
                let sums = costs.map { cost in names.reduce(0) { $0 + (cost[$1] ?? 0) } }
                return sums[1] / sums[0]
            }
            report.add("ratio_server", "ratio of the server's CPU per push", ratio(["server"]), "×")
            report.add("ratio_postgres", "ratio of Postgres's", ratio(["postgres"]), "×")
            report.add("ratio", "of both (goal 1.15, first 1.5)", ratio(["server", "postgres"]), "×")
        }
    }
}
