import Dispatch

/// Opens sessions on a serial queue of its own, because libpq resolves names while it blocks.
///
/// The whole attempt has one deadline: a server that accepts and then says nothing cannot hold it longer.
final class PostgresConnector: Sendable {
    private let configuration: PostgresConfiguration
    private let queue = DispatchQueue(label: "rouse.postgres.connect")

    init(_ configuration: PostgresConfiguration) {
        self.configuration = configuration
    }

    /// Calls `completion` on the connector's queue.
    func connect(
        _ completion: @escaping @Sendable (Result<LibPQConnection, DatabaseError>) -> Void
    ) {
        queue.async { [configuration] in
            completion(
                Result { () throws(DatabaseError) in try Self.open(configuration) })
        }
    }

    /// Blocks until the session is ready, refused, or the time is up.
    static func open(_ configuration: PostgresConfiguration) throws(DatabaseError) -> LibPQConnection {
        guard let connection = LibPQConnection(keywords: configuration.keywords) else {
            throw .unavailable(reason: "out of memory")
        }
        let limit = configuration.connectTimeoutMilliseconds
        let deadline = DispatchTime.now() + .milliseconds(limit)
        var progress = connection.isDown ? LibPQConnection.ConnectProgress.failed : .needsWrite
        while progress != .connected {
            guard progress != .failed else { throw .unavailable(reason: connection.errorMessage) }
            let left = DispatchTime.now().distance(to: deadline).milliseconds
            guard left > 0, connection.wait(toWrite: progress == .needsWrite, milliseconds: left) else {
                throw .unavailable(reason: "no answer to the connection attempt within \(limit) ms")
            }
            progress = connection.pollConnect()
        }
        return connection
    }
}

extension DispatchTimeInterval {
    /// Whole milliseconds, rounded up; negative for a time that has passed.
    var milliseconds: Int {
        switch self {
        case .seconds(let count): count * 1_000
        case .milliseconds(let count): count
        case .microseconds(let count): (count + 999) / 1_000
        case .nanoseconds(let count): (count + 999_999) / 1_000_000
        default: .max
        }
    }
}
