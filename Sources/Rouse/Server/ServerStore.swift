import Domain
import Engine
import EventLoop
import Glibc
import Store
import Telemetry

/// The database as the server uses it: migrated, bound to its master key, with its pools.
struct ServerStore: Sendable {
    /// One for each core, from two to eight; for good, from the first start on.
    /// More would make smaller batches, and each batch costs a commit: on two
    /// cores a push takes a third less CPU with two shards than with four.
    static let preferredShards = min(8, max(2, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
    private static let directorySessions = 4

    let configuration: PostgresConfiguration
    let sealer: TokenSealer
    let directory: PostgresDirectoryStore
    let lease: PostgresLeaseStore
    let audit: PostgresAuditStore
    let digests: PostgresDigestLogStore
    let shards: Int
    private let directoryPool: PostgresPool
    private let leasePool: PostgresPool
    private let observerPool: PostgresPool

    /// Migrates, prepares the rows of the shards, and reads or makes the master key.
    init(_ database: Database, config: Config, _ logger: Logger) async throws {
        configuration = database.configuration
        try await Self.migrate(configuration, logger)
        let loop = EventLoop(label: "store")
        directoryPool = PostgresPool(configuration, on: loop, size: Self.directorySessions)
        leasePool = PostgresPool(configuration, on: EventLoop(label: "lease"), size: 1)
        observerPool = Self.observerPool(configuration)
        audit = PostgresAuditStore(observerPool)
        digests = PostgresDigestLogStore(observerPool)
        shards = try await ShardTable.prepare(preferredCount: Self.preferredShards, directoryPool)
        if let folder = LocalFile.directory(of: config.masterKeyFile) { try LocalFile.makeDirectory(folder) }
        sealer = try await TokenSealer.open(keyFile: config.masterKeyFile, directoryPool)
        logger.info("master key is open", .id("key_id", sealer.keyID))
        directory = PostgresDirectoryStore(directoryPool)
        lease = PostgresLeaseStore(leasePool)
    }

    /// For what looks on from beside the shards: the audit, whose statements may take long, and the lag.
    private static func observerPool(_ configuration: PostgresConfiguration) -> PostgresPool {
        var configuration = configuration
        configuration.applicationName += " observer"
        configuration.settings.merge(PostgresAuditStore.sessionSettings) { _, ours in ours }
        return PostgresPool(configuration, on: EventLoop(label: "observer"), size: 2)
    }

    private static func migrate(_ configuration: PostgresConfiguration, _ logger: Logger) async throws {
        for step in try await Blocking.run({ try Migrator(configuration).migrate() }) {
            logger.info("migrated", .number("migration", step.number), .id("name", step.name))
        }
    }

    func shardStore(_ shard: Int, epoch: Int64, on loop: EventLoop) -> any ShardStore {
        PostgresShardStore(shard: shard, epoch: epoch, configuration, on: loop)
    }

    /// Keeps the partitions of recorded outcomes, and forgets old calls. What fails is done at the next time.
    func maintain(_ config: Config, now: WallTime) async {
        try? await OutcomeRetention.maintain(
            now: now, keepSeconds: config.policy.explainRetentionSeconds, directoryPool)
        let keepCalls = max(config.policy.explainRetentionSeconds, config.policy.pushDedupTTLSeconds)
        try? await CallRetention.maintain(now: now, keepSeconds: keepCalls, directoryPool)
        try? await DigestCompaction.compact(now: now, directoryPool)
    }

    func close() {
        directoryPool.close()
        leasePool.close()
        observerPool.close()
    }
}
