import Glibc
import Store

/// Where a server keeps its private Postgres within a run's directory.
struct PostgresFiles: Sendable {
    let directory: String

    var data: String { "\(directory)/data" }

    /// The main process, by its own word; nil without a cluster, or when it was stopped in order.
    var postmaster: pid_t? {
        LocalFiles.readText("\(data)/postgres/postmaster.pid")?.split(separator: "\n").first.flatMap {
            pid_t($0)
        }
    }

    /// A way in beside the server.
    var configuration: PostgresConfiguration {
        PostgresConfiguration(
            endpoint: .socket(directory: "\(data)/run", user: "rouse", database: "postgres"),
            applicationName: "rouse-loadtest")
    }
}
