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
            let left = deadline.millisecondsFromNow
            guard left > 0, connection.wait(toWrite: progress == .needsWrite, milliseconds: left) else {
                throw .unavailable(reason: "no answer to the connection attempt within \(limit) ms")
            }
            progress = connection.pollConnect()
        }
        return connection
    }
}

extension DispatchTime {
    /// Rounded up; 0 or less for a time that has come.
    var millisecondsFromNow: Int {
        let left = Int64(bitPattern: uptimeNanoseconds &- DispatchTime.now().uptimeNanoseconds)
        return Int(left > 0 ? (left + 999_999) / 1_000_000 : left / 1_000_000)
    }
}
