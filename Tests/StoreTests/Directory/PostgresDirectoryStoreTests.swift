import Domain
import Engine
import Testing

@testable import EventLoop
@testable import Store

@Suite struct PostgresDirectoryStoreTests {
    private static let now = WallTime(milliseconds: 1_796_000_000_000)

    private func directory() throws -> PostgresDirectoryStore {
        PostgresDirectoryStore(
            PostgresPool(try TestCluster.freshDatabase(), on: EventLoop(label: "test.directory"), size: 2))
    }

    private func tenant(_ key: Int64, _ name: String) -> StoredTenant {
        StoredTenant(
            key: TenantKey(key), name: TenantID(name), policy: Array(#"{"push_merge_window_ms":0}"#.utf8),
            createdAt: Self.now)
    }

    @Test func `a tenant's name is taken once; what may change changes`() async throws {
        let directory = try directory()
        #expect(try await directory.createTenant(tenant(1, "demo")))
        #expect(try await !directory.createTenant(tenant(2, "demo")))
        var changed = tenant(1, "demo")
        changed.isPaused = true
        changed.mode = "shadow"
        changed.policy = Array("{}".utf8)
        try await directory.updateTenant(changed)
        let stored = try #require(try await directory.loadDirectory().tenants.first)
        #expect((stored.name, stored.isPaused, stored.mode) == (TenantID("demo"), true, "shadow"))
        #expect(stored.policy == changed.policy)
        #expect(stored.createdAt == Self.now)
    }

    @Test func `keys and credentials are kept, replaced and deleted`() async throws {
        let directory = try directory()
        _ = try await directory.createTenant(tenant(1, "demo"))
        let key = StoredAPIKey(
            tenant: TenantKey(1), prefix: "rk_ab12cd", hash: [UInt8](repeating: 5, count: 32),
            name: "backend",
            createdAt: Self.now)
        try await directory.insertAPIKey(key)
        func clientKey(_ kid: String) -> StoredClientKey {
            StoredClientKey(tenant: TenantKey(1), kid: kid, algorithm: "HS256", sealed: [1, 2])
        }
        try await directory.replaceClientKeys(TenantKey(1), [clientKey("k1"), clientKey("k2")])
        try await directory.replaceClientKeys(TenantKey(1), [clientKey("k3")])
        for summary in ["{}", #"{"team_id":"T"}"#] {
            try await directory.putProviderCredential(
                StoredProviderCredential(
                    tenant: TenantKey(1), provider: "apns", summary: Array(summary.utf8), sealed: [7],
                    createdAt: Self.now))
        }
        let stored = try await directory.loadDirectory()
        #expect(stored.apiKeys.map(\.hash) == [key.hash])
        #expect(stored.clientKeys.map(\.kid) == ["k3"])
        #expect(stored.providers.map { String(decoding: $0.summary, as: UTF8.self) } == [#"{"team_id":"T"}"#])

        #expect(try await directory.deleteAPIKey(TenantKey(1), prefix: "rk_ab12cd"))
        #expect(try await !directory.deleteAPIKey(TenantKey(1), prefix: "rk_ab12cd"))
        #expect(try await directory.deleteProviderCredential(TenantKey(1), provider: "apns"))
        #expect(try await !directory.deleteProviderCredential(TenantKey(1), provider: "fcm"))
        try await directory.deleteTenant(TenantKey(1))
        #expect(try await directory.loadDirectory().clientKeys.isEmpty)
    }

    @Test func `an older provider token never replaces a newer one`() async throws {
        let directory = try directory()
        _ = try await directory.createTenant(tenant(1, "demo"))
        #expect(try await directory.loadProviderToken(TenantKey(1), keyID: "K") == nil)
        for (age, sealed) in [(Int64(0), UInt8(1)), (60_000, 2), (30_000, 3)] {
            try await directory.saveProviderToken(
                StoredProviderToken(
                    tenant: TenantKey(1), keyID: "K", issuedAt: Self.now + age, sealed: [sealed]))
        }
        let stored = try #require(try await directory.loadProviderToken(TenantKey(1), keyID: "K"))
        #expect(stored.sealed == [2])
        #expect(stored.issuedAt == Self.now + 60_000)
    }

    @Test func `deleting a tenant leaves nothing of its users and touches no one else`() async throws {
        let fixture = try await ShardFixture()
        let directory = PostgresDirectoryStore(fixture.pool)
        _ = try await directory.createTenant(tenant(2, "other"))
        let shard = fixture.store()
        _ = try await shard.open().get()
        for (owner, key) in [(ShardFixture.tenant, Int64(10)), (TenantKey(2), 11)] {
            let message = ShardFixture.message(key * 10)
            var changes = ChangeSet()
            changes.newUsers = [
                UserRow(
                    key: UserKey(key), name: UserName(tenant: owner, user: UserID("u")),
                    mailboxID: MailboxID(bytes: [UInt8](repeating: 0, count: 16)))
            ]
            changes.messages = [MessageRow(tenant: owner, message: message)]
            changes.entries = [ShardFixture.entry(key, 1, .message(message, .none, countsUnread: true))]
            changes.devices = [ShardFixture.device(key + 10, of: key, "d")]
            changes.tasksMade = [
                ShardFixture.task(key, user: key, device: key + 10, message: key * 10, seq: 1)
            ]
            changes.records = [RecordRow(user: UserKey(key), isOwed: true, record: [1])]
            changes.checkpoints = [CheckpointRow(user: UserKey(key), throughSeq: 1, projection: [1])]
            #expect(await shard.commit(changes) == nil)
        }
        try await directory.deleteTenant(ShardFixture.tenant)
        for table in [
            "tenant", "app_user", "message", "mailbox_entry", "device", "push_task", "user_push_record",
            "user_checkpoint",
        ] {
            #expect(try await fixture.count(table) == 1, "\(table)")
        }
    }

    @Test func `what is written for a user who was removed meanwhile is left out`() async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = try await shard.open().get()
        var changes = ChangeSet()
        changes.newUsers = [ShardFixture.user(10, "ann")]
        #expect(await shard.commit(changes) == nil)
        try await PostgresDirectoryStore(fixture.pool).deleteTenant(ShardFixture.tenant)
        var late = ChangeSet()
        late.records = [RecordRow(user: UserKey(10), isOwed: true, record: [1])]
        late.checkpoints = [CheckpointRow(user: UserKey(10), throughSeq: 1, projection: [1])]
        #expect(await shard.commit(late) == nil)
        #expect(try await fixture.count("user_push_record") == 0)
        #expect(try await fixture.count("user_checkpoint") == 0)
    }

    @Test func `outcomes lie in partitions by day; old ones are dropped`() async throws {
        let fixture = try await ShardFixture()
        let now = ShardFixture.now
        let day: Int64 = 86_400_000
        try await OutcomeRetention.maintain(now: now + -4 * day, keepSeconds: 259_200, fixture.pool)
        try await OutcomeRetention.maintain(now: now, keepSeconds: 259_200 * 10, fixture.pool)
        let shard = fixture.store()
        _ = try await shard.open().get()
        var changes = ChangeSet()
        changes.outcomes = [0, -1, -4, 40].map { (days: Int64) in
            OutcomeRow(
                user: UserKey(1), device: DeviceKey(1), seq: 1, outcome: .dropped, reason: .expired,
                endedAt: now + days * day, trace: [])
        }
        #expect(await shard.commit(changes) == nil)
        #expect(try await fixture.count("push_outcome_other") == 1)
        try await OutcomeRetention.maintain(now: now, keepSeconds: 2 * 86_400, fixture.pool)
        #expect(try await fixture.count("push_outcome") == 3)
    }

    @Test func `the check knows a schema that is behind`() async throws {
        let configuration = try TestCluster.freshDatabase(migrated: false)
        let none = PostgresDirectoryStore(
            PostgresPool(configuration, on: EventLoop(label: "test.check"), size: 1))
        await #expect(throws: StoreFailure.self) { try await none.check() }
        _ = try Migrator(configuration).migrate()
        try await none.check()
    }
}
