import Telemetry

extension Commands {
    /// `rouse serve`.
    static let serve = Command(
        name: "serve", summary: "Run the server",
        options: [configOption],
        details: """
            Without a config: a private Postgres in ./data, the public listener on 127.0.0.1:8080, the admin
            listener on 127.0.0.1:8081. SIGTERM and SIGINT stop it in order; a second signal at once.
            SIGHUP reads the certificates again.
            """,
        run: { arguments, terminal in
            let config = try ServerSettings.config(arguments, terminal)
            let logger = LogLines.logger(terminal)
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
}
