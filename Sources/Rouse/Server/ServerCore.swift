import API
import Domain
import Engine
import EventLoop
import Providers
import Store
import Telemetry
import Wire

/// What decides and what sends: engine, senders, tenants, and the life as owner or standby.
struct ServerCore: Sendable {
    let engine: Engine
    let senders: ProviderSenders
    let credentials: CredentialDirectory
    let ownership = Ownership()
    let leaseGuard = LeaseGuard()
    private let schedulers: [EventLoopShardScheduling]

    init(
        _ config: Config, _ store: ServerStore, _ stored: StoredDirectory, _ loops: EventLoopGroup
    ) throws {
        // Shards live on the loops of the sockets: what a shard says to a device or a database stays on one queue as often
        // as the loops allow, and no more threads compete for the cores.
        schedulers = (0..<store.shards).map { EventLoopShardScheduling(loops.loops[$0 % loops.loops.count]) }
        let tenants = TenantDirectory()
        for tenant in stored.tenants { tenants.put(TenantPolicy.tenant(tenant, standard: config.policy)) }
        credentials = CredentialDirectory(tenants: tenants, sealing: store.sealer)
        credentials.load(stored)
        senders = try ProviderSenders(
            Self.providerSettings(config.providers), group: loops, shards: store.shards,
            store: store.directory, tokens: store.sealer, secrets: store.sealer)
        engine = Engine(
            schedulers: schedulers, tenants: tenants, leaseGuard: leaseGuard, directory: store.directory,
            sender: senders, onFenced: { [ownership] in ownership.wasFenced() })
        senders.start(stored.providers, reporting: engine)
    }

    private static func providerSettings(_ config: Config.Providers) throws -> ProviderSettings {
        guard
            var settings = ProviderSettings(
                apnsProduction: config.apnsProductionURL, apnsSandbox: config.apnsSandboxURL,
                fcm: config.fcmURL)
        else { throw CommandFailure("an address of the providers is no https URL") }
        if let file = config.apnsCAFile { settings.apnsTrust = .file(file) }
        if let file = config.fcmCAFile { settings.fcmTrust = .file(file) }
        return settings
    }

    /// A private database belongs to whoever holds its directory's lock: an owner before us is dead, and its lease need
    /// not be sat out. Elsewhere each process has a name of its own.
    private static func owner(_ database: Config.Database) -> String {
        database.privateDirectory == nil ? UUIDBytes.random().text : "private"
    }

    /// Takes the lease and the shards, gives them back when cancelled.
    func own(
        _ store: ServerStore, _ config: Config, _ logger: Logger, _ owned: Gate
    ) -> Task<Void, Never> {
        let keeper = LeaseKeeper(
            owner: Self.owner(config.database), store: store.lease,
            times: LeaseKeeper.Times(
                durationMilliseconds: config.lease.durationMilliseconds,
                renewMilliseconds: config.lease.renewMilliseconds),
            leaseGuard: leaseGuard, clock: LeaseClock())
        let (engine, ownership, schedulers) = (engine, ownership, schedulers)
        return Task.detached {
            await ownership.run(engine, keeper) { shard, epoch in
                store.shardStore(shard, epoch: epoch, on: schedulers[shard].loop)
            } changed: { state, epoch in
                logger.info("ownership", .id("state", state.rawValue), .number("epoch", epoch))
                if state == .owner { owned.open() }
            }
        }
    }
}
