import Domain
import Engine
import EventLoop
import Store
import Wire

/// Registers devices by the hundred thousand: the server's own store writes the rows that a registration
/// writes, under a lease of the run's, while no server runs.
struct DeviceFill: Sendable {
    private static let batch = 2_000
    private static let owner = "loadtest-fill"

    let postgres: PostgresConfiguration
    let keyFile: String
    let tenant: String

    /// One APNs device for each user, as `LoadTenant.registration` has it.
    func run(_ users: Range<Int>) async throws {
        let pool = PostgresPool(postgres, on: EventLoop(label: "fill"), size: 1)
        defer { pool.close() }
        let lease = PostgresLeaseStore(pool)
        guard case .owned(let epoch) = try await lease.acquire(owner: Self.owner, takeOver: true) else {
            throw LoadtestFailure("the lease is not given up")
        }
        let name = tenant
        let found = try await pool.execute(Self.readTenant) { $0.text(name) }
            .first { (TenantKey($0.int8()), Int($0.int8())) }
        guard let (key, shards) = found else { throw LoadtestFailure("there is no tenant \(tenant)") }
        let sealer = try await TokenSealer.open(keyFile: keyFile, pool)
        let plan = Plan(tenant: key, epoch: epoch, sealer: sealer)
        let parts = Dictionary(grouping: users) { plan.shard(of: $0, count: shards) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (shard, users) in parts {
                group.addTask { try await fill(shard, users, plan) }
            }
            try await group.waitForAll()
        }
        try await lease.release(owner: Self.owner, epoch: epoch)
    }

    private func fill(_ shard: Int, _ users: [Int], _ plan: Plan) async throws {
        let session = ShardSession(shard, epoch: plan.epoch, postgres)
        try await session.open()
        var keys = KeyAllocator(epoch: plan.epoch, lane: shard)
        for start in stride(from: 0, to: users.count, by: Self.batch) {
            let part = users[start..<min(start + Self.batch, users.count)]
            try await session.commit(plan.changes(Array(part), &keys))
        }
        // As at a planned end: the next owner has nothing to look for.
        var drained = ChangeSet()
        drained.marksDrained = true
        try await session.commit(drained)
        await session.close()
    }

    private static let readTenant = Query(
        name: "loadtest_read_tenant",
        sql: "select tenant_key, (select count(*) from shard) from tenant where name = $1::text")

    // MARK: Rows

    private struct Plan: Sendable {
        let tenant: TenantKey
        let epoch: Int64
        let sealer: TokenSealer

        func shard(of user: Int, count: Int) -> Int {
            ShardMap.shard(of: name(user), count: count)
        }

        private func name(_ user: Int) -> UserName {
            UserName(tenant: tenant, user: UserID(LoadTenant.user(user)))
        }

        func changes(_ users: [Int], _ keys: inout KeyAllocator) -> ChangeSet {
            var changes = ChangeSet()
            let now = WallTime(milliseconds: WallClock.now())
            let profile = Domain.DeviceProfile(
                locale: "en", appVersion: "1.0", registeredAt: now, lastSeen: now)
            for user in users {
                let (userKey, deviceKey): (UserKey, DeviceKey) = (keys.allot(), keys.allot())
                changes.newUsers.append(
                    UserRow(
                        key: userKey, name: name(user),
                        mailboxID: MailboxID(bytes: SecureRandom.bytes(count: 16))))
                changes.devices.append(
                    DeviceRow(
                        key: deviceKey, user: userKey, device: DeviceID(LoadTenant.device), appliedSeq: 0,
                        knownSinceSeq: 0, profile: profile))
                changes.tokensAdded.append(
                    TokenRow(
                        user: userKey, tenant: tenant, device: deviceKey,
                        token: token(user, keys.allot(), now)))
                changes.digestsChanged[deviceKey] = now
            }
            return changes
        }

        private func token(_ user: Int, _ key: TokenKey, _ now: WallTime) -> SealedToken {
            let sealed = sealer.seal(
                .apns(hex: LoadTenant.token(user), topic: LoadTenant.topic, .production), tenant: tenant)
            return SealedToken(
                digest: TokenDigest(
                    key: key, transport: sealed.transport, environment: sealed.environment,
                    registeredAt: now),
                sealed: sealed.sealed, keyID: sealed.keyID, lookup: sealed.lookup, topic: sealed.topic)
        }
    }
}

/// A shard's store, which lives on a loop, for one task.
private struct ShardSession: Sendable {
    private let loop: EventLoop
    private let store: LoopBound<PostgresShardStore>

    init(_ shard: Int, epoch: Int64, _ postgres: PostgresConfiguration) {
        let loop = EventLoop(label: "fill \(shard)")
        self.loop = loop
        store = loop.sync {
            LoopBound(PostgresShardStore(shard: shard, epoch: epoch, postgres, on: loop), on: loop)
        }
    }

    func open() async throws(StoreFailure) {
        let result: Result<Void, StoreFailure> = await withCheckedContinuation { continuation in
            loop.post { store.value.open { continuation.resume(returning: $0.map { _ in }) } }
        }
        try result.get()
    }

    func commit(_ changes: ChangeSet) async throws(StoreFailure) {
        let result: Result<Void, StoreFailure> = await withCheckedContinuation { continuation in
            loop.post { store.value.commit(changes) { continuation.resume(returning: $0.map { _ in }) } }
        }
        try result.get()
    }

    func close() async {
        await withCheckedContinuation { continuation in
            loop.post {
                store.value.close()
                continuation.resume()
            }
        }
    }
}
