import API
import Domain
import Engine
import EventLoop
import Gateway
import HTTP
import Providers
import Store
import Telemetry
import Wire

/// The server: what is started in which order, and what is stopped in which order.
final class Server: Sendable {
    let publicAddress: SocketAddress
    let adminAddress: SocketAddress
    private let config: Config
    private let logger: Logger
    private let database: Database
    private let store: ServerStore
    private let engine: Engine
    private let gateway: Gateway
    private let publicServer: HTTPServer
    private let adminServer: HTTPServer
    private let ownedGate: Gate
    private let ownership: Task<Void, Never>
    private let maintenance: Task<Void, Never>
    private let audit: Task<Void, Never>
    private let digests: Task<Void, Never>

    /// Returns when both listeners listen; the data may still be another process's: `owned` waits for it.
    static func start(_ config: Config, _ logger: Logger) async throws -> Server {
        let database = try await Blocking.run { try Database(config.database, logger) }
        do {
            return try await Server(config, database, logger)
        } catch {
            try? await Blocking.run { database.stop() }
            throw error
        }
    }

    private init(_ config: Config, _ database: Database, _ logger: Logger) async throws {
        try Self.checkZones(config, logger)

        // 1. The database: migrated, its key open, what rarely changes read.
        let store = try await ServerStore(database, config: config, logger)
        let stored = try await store.directory.loadDirectory()
        let adminToken = AdminToken(try AdminTokenFile.load(config.adminTokenFile))

        // 2. Engine and senders; they do nothing before the lease.
        let loops = EventLoopGroup(count: config.limits.eventLoops)
        let core = try ServerCore(config, store, stored, loops, logger)

        // 3. The listeners: from here on the process can be asked how it is.
        let interfaces = ServerInterfaces(config, core, store, adminToken, loops)
        let budget = DescriptorBudget(
            limit: DescriptorLimit.raise(), connections: config.limits.connections,
            adminConnections: config.limits.adminConnections)
        publicServer = try interfaces.listenPublicly(config, budget, loops)
        adminServer = try interfaces.listenForOperators(config, budget, loops)

        // 4. The lease, and with it the shards.
        let gate = Gate()
        ownership = core.own(store, config, logger, gate)
        maintenance = Self.maintain(store, config)
        audit = ServerAudit.run(core, store, config, logger)
        digests = Self.followDigests(core, store)

        self.config = config
        self.logger = logger
        self.database = database
        self.store = store
        engine = core.engine
        gateway = interfaces.gateway
        ownedGate = gate
        publicAddress = publicServer.address
        adminAddress = adminServer.address
        logger.info(
            "listening", .address("\(publicServer.address)"), .id("admin_address", "\(adminServer.address)"),
            .number("connections", Int64(budget.connections)))
    }

    /// A server that does not know its own zone would be quiet at the wrong hours; one that knows none but
    /// UTC serves all who need no other.
    private static func checkZones(_ config: Config, _ logger: Logger) throws {
        let missing = ZoneFiles.missing
        if let missing { logger.warning("no time zone but UTC is known", .fault(missing)) }
        let zone = config.policy.timeZone
        guard ZoneFiles.zones[zone] == nil else { return }
        throw CommandFailure(
            "policy.time_zone: \"\(zone)\" is no zone of the IANA database"
                + (missing.map { "; \($0)" } ?? ""))
    }

    /// Returns when this process owns the data and every shard is open.
    func owned() async {
        await ownedGate.wait()
        while await !engine.isOpen() { try? await Task.sleep(for: .milliseconds(5)) }
    }

    /// Reads the certificates again, for the connections to come; those that cannot be used are left alone.
    func reload() {
        for (server, listener, name) in [
            (publicServer, config.publicListener, "public"), (adminServer, config.adminListener, "admin"),
        ] {
            do {
                guard let tls = try ServerInterfaces.tls(listener) else { continue }
                server.replaceTLS(tls)
                logger.info("certificate read again", .id("listener", name))
            } catch {
                logger.error("certificate not taken", .id("listener", name), .fault("\(error)"))
            }
        }
    }

    /// Stops what was started, the latest first: no new requests, those under way end, devices are told 1001,
    /// the lease is given back, a private Postgres ends.
    func stop() async {
        let limit = config.limits.drainMilliseconds
        async let drained: Void = publicServer.drain(withinMilliseconds: limit)
        await adminServer.drain(withinMilliseconds: limit)
        await drained
        await gateway.drain()
        await settle(withinMilliseconds: limit)
        audit.cancel()
        digests.cancel()
        maintenance.cancel()
        ownership.cancel()
        await ownership.value
        await closeDevices()
        store.close()
        let database = database
        try? await Blocking.run { database.stop() }
    }

    /// Pushes under way are answered, and what is held is written down with its deadline, so that the
    /// successor rings nobody early. A provider that does not answer is not waited for beyond the limit: it
    /// is asked again under the same ids.
    private func settle(withinMilliseconds limit: Int) async {
        let settled = Gate()
        engine.drain { settled.open() }
        let patience = Task {
            try? await Task.sleep(for: .milliseconds(limit))
            settled.open()
        }
        await settled.wait()
        patience.cancel()
    }

    /// The engine has said goodbye to each device: the sockets get a moment to take it.
    private func closeDevices() async {
        for _ in 0..<100 where publicServer.openConnections > 0 {
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Twice a second, as owner or standby: a standby's shards are closed, and have nothing to follow.
    private static func followDigests(_ core: ServerCore, _ store: ServerStore) -> Task<Void, Never> {
        let follower = DigestFollower(core.engine, store.digests)
        return Task.detached {
            while !Task.isCancelled {
                await follower.poll()
                try? await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    private static func maintain(_ store: ServerStore, _ config: Config) -> Task<Void, Never> {
        Task.detached {
            while !Task.isCancelled {
                await store.maintain(config, now: WallTime(milliseconds: WallClock.now()))
                try? await Task.sleep(for: .seconds(6 * 3_600))
            }
        }
    }
}

extension Engine {
    /// Whether every shard has taken its part of the database.
    func isOpen() async -> Bool {
        let shards = await withCheckedContinuation { continuation in
            status { continuation.resume(returning: $0) }
        }
        return shards.allSatisfy(\.isOpen)
    }
}
