/// Why the private Postgres does not run, in words for the operator.
package enum EmbeddedPostgresError: Error, Sendable, Equatable, CustomStringConvertible {
    case notInstalled
    case noUnprivilegedUser
    case directory(path: String, problem: String)
    case socketPathTooLong(path: String, limit: Int)
    case inUse(directory: String)
    case cannotRun(program: String, code: Int32)
    case initialisationFailed(code: Int32, log: String)
    case notReady(log: String)

    package var description: String {
        switch self {
        case .notInstalled:
            "no PostgreSQL server found in /usr/lib/postgresql or the PATH: install postgresql"
        case .noUnprivilegedUser:
            "started as root, and there is no user 'postgres' to run the database as: install postgresql"
        case .directory(let path, let problem): "\(path): \(problem)"
        case .socketPathTooLong(let path, let limit):
            "\(path): a Unix socket's path has at most \(limit) bytes: choose a shorter database directory"
        case .inUse(let directory): "\(directory): another server is running on this directory"
        case .cannotRun(let program, let code): "\(program) could not be started (errno \(code))"
        case .initialisationFailed(let code, let log): "initdb failed with \(code): see \(log)"
        case .notReady(let log): "Postgres did not become ready: see \(log)"
        }
    }
}
