import Domain

@testable import Engine

/// One seeded world: a server with its database and its providers, users with several devices each; what
/// happens to them, and what must hold whatever happens.
///
/// `@unchecked Sendable`: a world never leaves the thread of its test.
final class World: @unchecked Sendable {
    static let shards = 2
    static let tenant = TenantKey(1)
    static let users = ["ann", "ben", "cho"].map { UserID($0) }
    static let devices = ["phone", "tablet", "desk"].map { DeviceID($0) }
    static let conversations = ["c-0", "c-1", "c-2"].map { ConversationID($0) }

    let seed: UInt64
    var faults: Faults
    let setting: Setting
    let clockwork: Clockwork
    let database = Database()
    let journal: Journal
    /// Chance of the present step: what a step does has nothing to do with the steps before it.
    var dice: SeededGenerator
    /// The first thing that did not hold; a world with one is over.
    private(set) var violation: Violation?
    private(set) var clients: [SimulatedClient] = []
    private(set) var invariants: [any Invariant] = []
    var isDatabaseAway = false
    /// When its database was last away.
    var databaseAwayAt: Int64 = 0
    /// The tenant as operators have it now.
    var tenant: Tenant
    private var hasChangedPolicy = false
    /// When the server died, in order.
    private(set) var crashedAt: [Int64] = []
    private(set) var engine: Engine
    private let tenants = TenantDirectory()
    private let leaseGuard = LeaseGuard()
    private(set) lazy var provider = SimulatedProvider(self)
    var messages = MessageBook()
    /// What its backend has called, in order.
    var calls: [IncomingCall] = []
    /// Whether a channel was ever halted: what waited for it left late.
    var haltedChannels = false

    init(seed: UInt64, journal: Journal = Journal(isKept: false)) {
        self.seed = seed
        self.journal = journal
        clockwork = Clockwork(seed: seed)
        dice = SeededGenerator(seed: seed, stream: 0)
        setting = Setting(seed: seed)
        faults = setting.faults
        tenant = Tenant(key: Self.tenant, name: TenantID("demo"), policy: setting.policy)
        tenants.put(tenant)
        leaseGuard.renewed(askedAt: Instant(milliseconds: 0), durationMilliseconds: .max / 8)
        engine = Engine(
            schedulers: [SimulatedExecutor(clockwork)], tenants: tenants, leaseGuard: leaseGuard,
            directory: NoDirectory(), sender: NoSender(), zones: FixedZones.all, onFenced: {})
        invariants = AllInvariants.of(self)
        database.onViolation = { [unowned self] in violated("the tables are whole", $0) }
        start()
        for user in Self.users {
            for device in Self.devices {
                clients.append(
                    SimulatedClient(self, UserName(tenant: Self.tenant, user: user), device))
            }
        }
        for client in clients where dice.chance(80) { register(client) }
        clockwork.advance(50)
    }

    // MARK: - Its course

    private static let pauses: [Int64] = [0, 0, 1, 5, 20, 200, 1_000, 3_100, 9_000, 18_500]

    /// One random operation, then a little time.
    func step(_ number: Int) {
        dice = SeededGenerator(seed: seed, stream: UInt64(number) + 1)
        Operation.pick(&dice).run(self)
        clockwork.advance(dice.pick(Self.pauses))
        if dice.chance(50) { followDigests() }
        for invariant in invariants { invariant.stepEnded() }
    }

    /// All faults end, and time enough passes for every duty to be done.
    func heal() {
        journal.note(clockwork.now, "everything heals")
        faults = Faults.none
        isDatabaseAway = false
        for client in clients { client.comeBack() }
        clockwork.schedule(after: 15_000, epoch: nil) { for client in self.clients { client.timeOut() } }
        if hasChangedPolicy {
            clockwork.schedule(after: 20_000, epoch: nil) { self.lookAtAll() }
        }
        for _ in 0..<65 where violation == nil {
            clockwork.advance(20_000)
            followDigests()
        }
        for invariant in invariants where violation == nil { invariant.settled() }
    }

    // MARK: - The server's process

    /// The server dies where it stands; the next takes over at once.
    func crash() {
        journal.note(clockwork.now, "the server crashes")
        crashedAt.append(clockwork.now)
        provider.serverDied()
        start()
        for client in clients { client.forgetConnection() }
    }

    private func start() {
        clockwork.epoch += 1
        engine = Engine(
            schedulers: (0..<Self.shards).map { _ in SimulatedExecutor(clockwork) }, tenants: tenants,
            leaseGuard: leaseGuard, directory: NoDirectory(), sender: provider, zones: FixedZones.all,
            onFenced: {})
        engine.start(epoch: Int64(clockwork.epoch)) { SimulatedStore(self, shard: $0) }
    }

    /// A planned stop and a new process: what is held keeps its deadline, and nobody is rung early.
    func deploy() {
        let epoch = clockwork.epoch
        for client in clients { client.drained() }
        engine.drain {
            self.clockwork.schedule(after: 0, epoch: nil) {
                guard self.clockwork.epoch == epoch else { return }
                self.journal.note(self.clockwork.now, "a new process begins")
                // Who came while it was stopping never got in.
                for client in self.clients { client.forgetConnection(isDrained: true) }
                self.start()
            }
        }
        // A stop that takes too long, because a provider or the database does not answer, is a crash.
        clockwork.schedule(after: 10_000, epoch: nil) {
            if self.clockwork.epoch == epoch { self.crash() }
        }
    }

    func policyChanged() {
        hasChangedPolicy = true
        tenants.put(tenant)
        engine.policyChanged(tenant)
    }

    func followDigests() {
        for shard in engine.shards where shard.digestPlace.value != database.digests.head(of: shard.number) {
            engine.followDigests(shard: shard.number)
        }
    }

    // MARK: - What must hold

    func violated(_ sentence: String, _ what: String) {
        guard violation == nil else { return }
        violation = Violation(sentence: sentence, at: clockwork.now, what: what)
        journal.note(clockwork.now, "this must not be: \(what)")
    }
}

extension World {
    func client(_ user: UserID, _ device: DeviceID) -> SimulatedClient? {
        clients.first { $0.device == device && $0.user.user == user }
    }

    func client(_ device: DeviceKey) -> SimulatedClient? {
        guard let row = database.devices[device]?.row, let user = database.users[row.user] else { return nil }
        return client(user.name.user, row.device)
    }

    func shard(of user: UserKey) -> Int? {
        database.users[user].map { ShardMap.shard(of: $0.name, count: Self.shards) }
    }
}

/// The first thing in a world that did not hold.
struct Violation: Equatable, Sendable {
    /// The rule, in the words of the contract.
    let sentence: String
    let at: Int64
    let what: String
}

/// A value that closures share. `@unchecked Sendable`: as its world.
final class Box<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }
}

private struct NoSender: PushSending {
    func send(_ requests: [PushRequest]) {}
}
