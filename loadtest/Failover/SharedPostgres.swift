import Dispatch
import Domain
import EventLoop
import Store

/// A Postgres of the run's own, for several servers: it outlives each of them.
struct SharedPostgres: Sendable {
    /// What servers name in their config.
    let url: String
    private let pool: PostgresPool

    /// The lease as the database has it.
    struct Lease: Equatable, Sendable {
        let epoch: Int64
        let owner: String
        /// Milliseconds since 1970.
        let renewedAt: Int64
    }

    /// What was written with keys of one epoch: only that epoch's owner allots them, and nobody deletes here.
    struct EpochRows: Equatable, Sendable {
        var messages: Int64 = 0
        var entries: Int64 = 0
        var devices: Int64 = 0
    }

    /// - Parameter name: of its place in the run's directory; `data` is where a server's own would be.
    static func start(in directory: String, as name: String = "shared") async throws -> SharedPostgres {
        let postgres = try EmbeddedPostgres(directory: "\(directory)/\(name)")
        Cleanup.undo { await offPool { postgres.stop() } }
        try await offPool { Result { try postgres.start() } }.get()
        guard case .socket(let socket, let user, let database) = postgres.endpoint else {
            throw LoadtestFailure("the shared Postgres has no socket")
        }
        let pool = PostgresPool(
            PostgresConfiguration(endpoint: postgres.endpoint, applicationName: "rouse-loadtest"),
            on: EventLoop(label: "shared"), size: 2)
        return SharedPostgres(url: "postgresql://\(user)@/\(database)?host=\(socket)", pool: pool)
    }

    /// What blocks runs on a thread that may.
    private static func offPool<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "postgres").async { continuation.resume(returning: body()) }
        }
    }

    func lease() async throws(DatabaseError) -> Lease? {
        try await pool.execute(Self.readLease).first { row in
            Lease(epoch: row.int8(), owner: row.text(), renewedAt: row.timestamp().milliseconds)
        }
    }

    func rows(ofEpoch epoch: Int64) async throws(DatabaseError) -> EpochRows {
        let rows = try await pool.execute(Self.countRows) { $0.int8(epoch) }
        return rows.first { EpochRows(messages: $0.int8(), entries: $0.int8(), devices: $0.int8()) }
            ?? EpochRows()
    }

    private static let readLease = Query(
        name: "loadtest_read_lease", sql: "select epoch, owner, renewed_at from lease")
    private static let countRows = Query(
        name: "loadtest_count_rows",
        sql: """
            select (select count(*) from message where message_key >> 43 = $1::bigint),
                (select count(*) from mailbox_entry where message_key >> 43 = $1::bigint),
                (select count(*) from device where device_key >> 43 = $1::bigint)
            """)
}

/// Remembers when each owner renewed its lease last.
actor LeaseWatch {
    private static let everyMilliseconds = 20

    private let postgres: SharedPostgres
    private var renewedAt: [Int64: Int64] = [:]
    private(set) var epoch: Int64 = 0

    init(_ postgres: SharedPostgres) { self.postgres = postgres }

    /// Looks until its task is cancelled.
    func watch() async {
        while !Task.isCancelled {
            await look()
            try? await Task.sleep(for: .milliseconds(Self.everyMilliseconds))
        }
    }

    func look() async {
        guard let lease = try? await postgres.lease() else { return }
        epoch = max(epoch, lease.epoch)
        renewedAt[lease.epoch] = lease.renewedAt
    }

    /// Milliseconds since 1970.
    func lastRenewal(ofEpoch epoch: Int64) -> Int64? { renewedAt[epoch] }
}
