import Store
import Telemetry

/// The database of a server: somebody else's, or a private one that lives and ends with us.
struct Database: Sendable {
    let configuration: PostgresConfiguration
    private let embedded: EmbeddedPostgres?

    /// Blocks until the database can be asked, for a private one: the first time about a second.
    init(_ config: Config.Database, _ logger: Logger) throws(CommandFailure) {
        guard let directory = config.privateDirectory else {
            configuration = PostgresConfiguration(endpoint: .url(config.url ?? ""))
            embedded = nil
            return
        }
        do {
            let postgres = try EmbeddedPostgres(directory: directory) { state in
                Self.log(state, logger)
            }
            try postgres.start()
            configuration = PostgresConfiguration(endpoint: postgres.endpoint)
            embedded = postgres
        } catch {
            throw CommandFailure("the private Postgres: \(error)")
        }
    }

    /// Blocks until a private one has ended.
    func stop() { embedded?.stop() }

    private static func log(_ state: EmbeddedPostgres.State, _ logger: Logger) {
        switch state {
        case .running(let pid): logger.info("private Postgres runs", .number("pid", pid))
        case .restarting(let pause):
            logger.warning("private Postgres ended by itself", .number("restart_in_ms", pause))
        case .starting, .stopped: break
        }
    }
}
