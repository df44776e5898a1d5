import Store
import Telemetry

extension Commands {
    /// `rouse migrate`.
    static let migrate = Command(
        name: "migrate", summary: "Bring the database to the schema of this program",
        options: [
            configOption, .flag("status", "Only tell what is applied and what is not"),
            ClientSettings.jsonOption,
        ],
        details: "The server does the same when it starts. Forward only; a newer database is left alone.",
        run: { arguments, terminal in
            let config = try ServerSettings.config(arguments, terminal)
            let database = try Database(config.database, .silent)
            defer { database.stop() }
            let migrator = Migrator(database.configuration)
            if !arguments.has("status") {
                for migration in try migrator.migrate() where !arguments.has("json") {
                    terminal.out("applied \(migration.number) \(migration.name)")
                }
            }
            let status = try migrator.status()
            terminal.out(arguments.has("json") ? MigrationText.json(status) : MigrationText.lines(status))
            if arguments.has("status"), status.contains(where: { $0.state != .applied }) {
                throw CommandFailure("the schema is not that of this program")
            }
        })

    static let configOption = CommandOption.value("config", "FILE", "The config, JSON5 (ROUSE_CONFIG)")
}
