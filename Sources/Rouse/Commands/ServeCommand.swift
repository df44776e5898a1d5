import Domain
import Telemetry

extension Commands {
    /// `rouse serve`.
    static let serve = Command(
        name: "serve", summary: "Run the server",
        options: [
            configOption,
            .values(
                "disable-rule", "NAME", "Switch a rule of the contract off, for a counter-proof"),
        ],
        details: """
            Without a config: a private Postgres in ./data, the public listener on 127.0.0.1:8080, the admin
            listener on 127.0.0.1:8081. SIGTERM and SIGINT stop it in order; a second signal at once.
            SIGHUP reads the certificates again.
            """,
        isService: true,
        run: { arguments, terminal in
            var config = try ServerSettings.config(arguments, terminal)
            let logger = LogLines.logger(terminal)
            config.policy.disabledRules = try disabledRules(arguments)
            for name in config.policy.disabledRules.names {
                logger.error("a rule of the contract is switched off", .id("rule", name))
            }
            // From now on a signal is an orderly stop, also one that comes while the start is under way.
            let stop = Signals.stopping()
            let server = try await Server.start(config, logger)
            Signals.onReload { server.reload() }
            Task {
                await server.owned()
                logger.info("ready")
            }
            await stop.wait()
            logger.info("stopping")
            await server.stop()
            logger.info("stopped")
        })

    private static func disabledRules(_ arguments: Arguments) throws(UsageError) -> Rules {
        var rules: Rules = []
        for name in arguments.all("disable-rule") {
            guard let known = Rules.named.first(where: { $0.name == name }) else {
                let names = Rules.named.map(\.name).joined(separator: ", ")
                throw arguments.problem("\(name) is no rule; there are \(names)")
            }
            rules.insert(known.rule)
        }
        return rules
    }
}
