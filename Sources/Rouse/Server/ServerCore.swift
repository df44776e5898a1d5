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
    let registry: TenantRegistry
    let credentials: CredentialDirectory
    let tenantKeys = TenantKeys()
    let ownership = Ownership()
    let leaseGuard: LeaseGuard
    private let schedulers: [EventLoopShardScheduling]

    init(
        _ config: Config, _ store: ServerStore, _ stored: StoredDirectory, _ loops: EventLoopGroup,
        _ logger: Logger
    ) throws {
        // Shards live on the loops of the sockets: what a shard says to a device or a database stays on
        // one queue as often as the loops allow, and no more threads compete for the cores.
        schedulers = (0..<store.shards).map { EventLoopShardScheduling(loops.loops[$0 % loops.loops.count]) }
        leaseGuard = LeaseGuard(disabledRules: config.policy.disabledRules)
        let tenants = TenantDirectory()
        registry = TenantRegistry(tenants: tenants, defaults: config.policy)
        credentials = CredentialDirectory(tenants: tenants, sealing: store.sealer)
        var providers = try Self.providerSettings(config.providers)
        providers.gate = LeaseGate(leaseGuard)
        senders = try ProviderSenders(
            providers, group: loops, shards: store.shards,
            store: store.directory, tokens: store.sealer, secrets: store.sealer)
        engine = Engine(
            schedulers: schedulers, tenants: tenants, leaseGuard: leaseGuard, directory: store.directory,
            sender: senders, node: NodeName.current, zones: ZoneFiles.zones,
            onDefect: { logger.error("the database refuses what a shard writes", .fault($0)) },
            onFenced: { [ownership] in ownership.wasFenced() })
        senders.start(stored.providers, reporting: engine)
        load(stored)
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

    private func load(_ stored: StoredDirectory) {
        registry.load(stored)
        credentials.load(stored)
    }

    /// What changes rarely, as the owner before us left it. Without an answer of the
    /// database what is known stays: the shards cannot open then, either.
    private func reload(_ store: ServerStore, epoch: Int64) async {
        tenantKeys.begin(epoch: epoch)
        guard let stored = try? await store.directory.loadDirectory() else { return }
        load(stored)
        for credential in stored.providers {
            senders.credentialChanged(credential.tenant, provider: credential.provider, to: credential)
        }
    }

    /// A private database belongs to whoever holds its directory's lock: an owner before us is
    /// dead, and its lease need not be sat out. Elsewhere each process has a name of its own.
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
        let me = self
        return Task.detached {
            await me.ownership.run(me.engine, keeper) { epoch in
                await me.reload(store, epoch: epoch)
            } store: { shard, epoch in
                store.shardStore(shard, epoch: epoch, on: me.schedulers[shard].loop)
            } changed: { state, epoch in
                logger.info("ownership", .id("state", state.rawValue), .number("epoch", epoch))
                if state == .owner { owned.open() }
            }
        }
    }
}
