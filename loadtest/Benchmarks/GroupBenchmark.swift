import EventLoop

/// P-2b: one message to a hundred recipients with two offline devices each.
enum GroupBenchmark {
    static let command = LoadtestCommand(
        name: "p2b", summary: "One message to a hundred recipients with two offline devices each",
        options: [
            LoadtestCommand.rouse, Option("seconds", "S", "How long it sends (5)"),
            Option("connections", "N", "Keep-alive connections (8)"),
            Option("recipients", "N", "Of each message (100)"),
            Option("groups", "N", "Groups of so many users, who take turns (20)"), LoadtestCommand.json,
        ],
        details: """
            As p2a, every second device being one of FCM: fails unless each message made exactly as many pushes
            as it has recipients' devices. The references are taken on the same Postgres before.
            """,
        run: { options in try await Run(options).run() })

    private struct Run: Sendable {
        private static let warmUpSeconds = 1.0

        private let program: String
        private let seconds: Double
        private let connections: Int
        private let recipients: Int
        private let groups: Int
        private let json: String?
        private let loop = EventLoop(label: "generator")

        init(_ options: Options) throws(UsageFailure) {
            program = options["rouse"] ?? ServerProcess.standardProgram
            seconds = Double(try options.number("seconds", in: 1...600, default: 5))
            connections = try options.number("connections", in: 1...1_000, default: 8)
            recipients = try options.number("recipients", in: 1...10_000, default: 100)
            groups = try options.number("groups", in: 1...10_000, default: 20)
            json = options["json"]
        }

        func run() async throws {
            let directory = try LocalFiles.makeScratchDirectory()
            let providers = try await ProviderProcess.start(in: directory, keep: 1, strict: false, on: loop)
            let server = try await ServerProcess(
                program: program, directory: directory, providers: providers, on: loop)
            Progress.say("starting the server")
            try await server.start()
            let tenant = try await LoadTenant.create(on: server, fcm: providers.url, loop)
            Progress.say("registering \(2 * recipients * groups) devices")
            let devices = LoadTenant.bothDevices
            for (device, transport) in zip(devices, [LoadTenant.Transport.apns, .fcm]) {
                try await RegistrationLoad.run(
                    tenant, users: recipients * groups, devices: [device], transport: { _ in transport },
                    on: server, loop)
            }
            var report = Report(
                "p2b: messages to \(recipients) recipients with \(devices.count) offline devices each")
            report.add("load_average", "load average at the start", ProcessStatistics.loadAverage)
            try await PostgresReference.add(server.postgres, to: &report)
            var rig = PushRig(
                server: server, providers: providers, users: groups, numbers: MessageNumbers())
            rig.pushesPerMessage = recipients * devices.count
            let template = RequestTemplate(
                apiKey: tenant.apiKey, host: "\(server.publicAddress)", lines: nil, recipients: recipients,
                conversations: .perUser)
            Progress.say("warming up")
            _ = try await rig.phase(template, connections: connections, seconds: Self.warmUpSeconds)
            Progress.say("messages over \(connections) connections")
            let phase = try await rig.phase(template, connections: connections, seconds: seconds)
            phase.add(to: &report, key: "group", "group")
            try report.publish(json: json)
        }
    }
}
