import Telemetry

extension Commands {
    /// `rouse dev`.
    static let dev = Command(
        name: "dev", summary: "Run everything at once, with a demo tenant and what to try",
        options: [
            .value("data", "DIR", "Where the database and the keys are kept (./data)"),
            .flag("fresh", "Use a new directory, removed at the end"), configOption,
            .value("providers", "ADDRESS", "The simulated APNs and FCM (127.0.0.1:8083)"),
            .value("control", "ADDRESS", "What they received (127.0.0.1:8082)"),
            .flag("verbose", "Log everything"),
        ],
        details: """
            A private Postgres, simulated providers and the server in one process. Nothing leaves this
            machine.
            """,
        isService: true,
        run: { arguments, terminal in
            let isFresh = arguments.has("fresh")
            let directory = isFresh ? try FreshDirectory.make() : arguments["data"] ?? "./data"
            // What is made for this run goes with it, also when the start fails.
            defer { if isFresh { FreshDirectory.remove(directory) } }
            var settings = DevServer.Settings(directory: directory)
            if let address = arguments["providers"] { settings.providersAddress = address }
            if let address = arguments["control"] { settings.controlAddress = address }
            let config = try ServerSettings.config(arguments, terminal)
            let logger = LogLines.logger(terminal, level: arguments.has("verbose") ? .debug : .warning)
            let stop = Signals.stopping()
            let dev = try await DevServer.start(settings, config, PushPrinter(terminal: terminal), logger)
            terminal.out(DevText.text(dev, program: CommandLine.arguments.first ?? "rouse"))
            await stop.wait()
            terminal.out("stopping")
            await dev.stop()
        })
}
