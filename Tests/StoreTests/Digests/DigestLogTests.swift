import Domain
import Testing
import Wire

@testable import Engine
@testable import EventLoop
@testable import Store

/// The digest log beside the token rows, and the shards that follow it, over a real database.
@Suite(.serialized) struct DigestLogTests {
    private let bob = ShardFixture.name("bob")

    // MARK: Token and digest

    @Test func `token and digest are written by one transaction, or neither is`() async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = try await shard.open().get()
        var changes = ChangeSet()
        changes.newUsers = [ShardFixture.user(10, "bob")]
        changes.devices = [ShardFixture.device(20, of: 10, "phone"), ShardFixture.device(21, of: 10, "pad")]
        changes.tokensAdded = [fixture.token(30, "bob-phone", device: 20, of: 10)]
        changes.digestsChanged = [DeviceKey(20): ShardFixture.now]
        #expect(await shard.commit(changes) == nil)
        #expect(try await fixture.digests() == ["20: 1 at 1"])

        // The provider's verdict, in a batch that the database refuses.
        var death = ChangeSet()
        death.tokensRemoved = [TokenKey(30)]
        death.digestsChanged = [DeviceKey(20): ShardFixture.now]
        death.newUsers = [ShardFixture.user(11, "bob")]
        #expect(await shard.commit(death) != nil)
        #expect(try await fixture.count("device_token") == 1)
        #expect(try await fixture.digests() == ["20: 1 at 1"])

        _ = try await shard.open().get()
        death.newUsers = []
        #expect(await shard.commit(death) == nil)
        #expect(try await fixture.count("device_token") == 0)
        #expect(try await fixture.digests() == ["20: 0 at 2"])
    }

    @Test func `a digest holds nothing of a token`() async throws {
        let columns = try await ShardFixture().texts(
            "select column_name from information_schema.columns where table_name = 'device_token_digest'")
        #expect(
            Set(columns) == [
                "device_key", "user_key", "shard", "revision", "changed_at", "is_gone", "token_keys",
                "transports", "environments", "registered_at", "is_wakeable",
            ])
    }

    @Test func `revisions become visible in their order`() async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = try await shard.open().get()
        var changes = ChangeSet()
        changes.newUsers = [ShardFixture.user(10, "bob")]
        changes.devices = [ShardFixture.device(20, of: 10, "phone"), ShardFixture.device(21, of: 10, "pad")]
        #expect(await shard.commit(changes) == nil)
        let slow = try BlockingSession(fixture.configuration, timeoutMilliseconds: TestCluster.patience)
        try slow.run(script: "begin; select append_token_digests(array[20], now())")
        let append = Query(name: "append", sql: "select append_token_digests(array[21], now())")
        async let later = fixture.pool.execute(append)
        try await fixture.waitUntilBlocked()
        #expect(try await fixture.digests() == [])
        try slow.run(script: "commit")
        _ = try await later
        #expect(try await fixture.digests() == ["20: 0 at 1", "21: 0 at 2"])
    }

    // MARK: Following

    @Test func `a shard's own changes are followed with their commit`() async throws {
        let live = try await LiveEngine(ShardFixture())
        try await live.register("bob", "phone", token: "bob-phone")
        try await live.register("bob", "pad", token: "bob-pad")
        #expect(try await live.states("bob").isEmpty)
        #expect(await live.follower.measure().isEmpty)
        #expect(live.engine.digestLag.lag == DigestLag())
        #expect(live.engine.digestsFollowed.values.max() == 2)
    }

    @Test func `a token that another process took away is followed within a poll`() async throws {
        let live = try await LiveEngine(ShardFixture())
        try await live.register("bob", "phone", token: "bob-phone")
        await live.send("m-1", to: "bob")
        await live.send("m-2", to: "bob")
        _ = await live.sender.requests(1)
        try live.run(
            """
            begin; delete from device_token;
            select append_token_digests(array(select device_key from device), now() - interval '7 s'); commit
            """)
        // The follower is held: the shard knows nothing, and the lag shows.
        #expect(await live.follower.measure().count == 1)
        let lag = live.engine.digestLag.lag
        #expect(lag.revisionsBehind == 1)
        #expect((7_000..<60_000).contains(lag.milliseconds(at: TestTime.now().wall)))
        #expect(try await live.wakeable("bob") == ["phone"])

        await live.follower.poll()
        #expect(try await live.wakeable("bob").isEmpty)
        _ = await live.follower.measure()
        #expect(live.engine.digestLag.lag == DigestLag())
        // What is with the provider is answered first; the other is over, with its reason.
        #expect(try await live.states("bob") == ["in_flight"])
        #expect(try await live.fixture.texts(Self.outcomes) == ["2: 4 1"])
        await live.send("m-3", to: "bob")
        #expect(try await live.fixture.texts(Self.outcomes) == ["2: 4 1", "3: 3 1"])
    }

    @Test func `a device that another process brings is woken for what comes from then on`() async throws {
        let live = try await LiveEngine(ShardFixture())
        try await live.register("bob", "phone", token: nil)
        await live.send("m-1", to: "bob")
        let sealed = live.fixture.sealer.seal(.fcm("imported"), tenant: ShardFixture.tenant)
        try live.run(
            """
            begin;
            insert into device (device_key, user_key, device_id, applied_seq, last_seen, is_signed_out)
            select 77, user_key, 'import', 0, now(), false from app_user;
            insert into device_token (token_key, tenant_key, user_key, device_key, transport, environment,
                topic, sealed, key_id, lookup, registered_at)
            select 88, 1, user_key, 77, 3, 0, '', '\\x\(Hex.encode(sealed.sealed))', '\(sealed.keyID)',
                '\\x\(Hex.encode(sealed.lookup))', now() from app_user;
            select append_token_digests(array[77], now()); commit
            """)
        await live.follower.poll()
        #expect(try await live.wakeable("bob") == ["import"])
        await live.send("m-2", to: "bob")
        let request = try #require(await live.sender.requests(1).first)
        #expect(request.token.sealed == sealed.sealed)
        #expect(request.draft.alert?.mailboxSeq == 2)
        // The first message is not its duty.
        #expect(try await live.audit().violations == 0)
    }

    @Test func `a change of our own does not pass over one of another's`() async throws {
        let live = try await LiveEngine(ShardFixture())
        try await live.register("bob", "phone", token: "bob-phone")
        try live.run(
            """
            begin; delete from device_token;
            select append_token_digests(array(select device_key from device), now()); commit
            """)
        try await live.register("bob", "pad", token: "bob-pad")
        #expect(try await live.wakeable("bob") == ["pad", "phone"])
        await live.follower.poll()
        #expect(try await live.wakeable("bob") == ["pad"])
        #expect(live.engine.digestsFollowed.values.max() == 3)
    }

    @Test func `a token that comes and goes within one batch leaves nothing behind`() async throws {
        let live = try await LiveEngine(ShardFixture())
        try await live.register("bob", "phone", token: "bob-phone")
        let token = live.fixture.sealer.seal(.fcm("bob-next"), tenant: ShardFixture.tenant)
        let shard = live.engine.shard(of: bob)
        let phone = DeviceID("phone")
        // The same token twice, then a sign-out: all wait while the shard's loop is busy with this.
        await live.onShard(shard) { shard in
            for _ in 0..<2 {
                shard.submit([.register(self.bob, phone, Registration(tokens: [token])) { _ in }])
            }
            shard.submit([.signOut(self.bob, phone, .byDevice) { _ in }])
        }
        #expect(try await live.wakeable("bob").isEmpty)
        #expect(try await live.fixture.count("device_token") == 0)
        #expect(try await live.fixture.texts("select token_keys::text from device_token_digest") == ["{}"])
    }

    @Test func `after a restart the digests are the same`() async throws {
        let live = try await LiveEngine(ShardFixture())
        try await live.register("bob", "phone", token: "bob-phone")
        try await live.register("bob", "pad", token: nil)
        await live.start()
        #expect(try await live.wakeable("bob") == ["phone"])
        #expect(live.engine.digestsFollowed.values.max() == 1)
        await live.send("m-1", to: "bob")
        #expect(await live.sender.requests(1).count == 1)
    }

    @Test func `a dead token's digest goes with it, and nothing is made for the device later`() async throws {
        let live = try await LiveEngine(ShardFixture())
        try await live.register("bob", "phone", token: "bob-phone")
        await live.send("m-1", to: "bob")
        let request = try #require(await live.sender.requests(1).first)
        let answer = ProviderAnswer(status: 410, reason: "Unregistered")
        live.engine.report([
            PushReport(request: request.id, verdict: .tokenDead(since: nil), answer: answer)
        ])
        await live.send("m-2", to: "bob")
        #expect(try await live.fixture.count("device_token") == 0)
        #expect(try await live.fixture.texts("select token_keys::text from device_token_digest") == ["{}"])
        #expect(try await live.fixture.texts(Self.outcomes) == ["1: 4 9", "2: 3 1"])
    }

    @Test func `a digest without its token is dropped when its turn comes`() async throws {
        let live = try await LiveEngine(ShardFixture())
        try await live.register("bob", "phone", token: "bob-phone")
        try live.run("delete from device_token")
        await live.start()
        #expect(try await live.wakeable("bob") == ["phone"])
        await live.send("m-1", to: "bob")
        #expect(try await live.wakeable("bob").isEmpty)
        #expect(try await live.fixture.texts(Self.outcomes) == ["1: 4 9"])
        #expect(try await live.fixture.texts("select token_keys::text from device_token_digest") == ["{}"])
    }

    // MARK: The log itself

    @Test func `devices that are gone leave a row until all have followed`() async throws {
        let live = try await LiveEngine(ShardFixture())
        try await live.register("bob", "phone", token: "bob-phone")
        try await PostgresDirectoryStore(live.fixture.pool).deleteTenant(ShardFixture.tenant)
        let gone = "select is_gone::text from device_token_digest"
        #expect(try await live.fixture.texts(gone) == ["true"])
        await live.follower.poll()
        #expect(try await live.wakeable("bob").isEmpty)
        let now = TestTime.now().wall
        try await DigestCompaction.compact(now: now, live.fixture.pool)
        #expect(try await live.fixture.texts(gone) == ["true"])
        try await DigestCompaction.compact(now: now + 86_500_000, live.fixture.pool)
        #expect(try await live.fixture.texts(gone).isEmpty)
    }

    @Test func `the tokens of an older database get their digests`() async throws {
        let configuration = try TestCluster.freshDatabase(migrated: false)
        let number = try #require(Migration.all.first { $0.name == "digest_log" }?.number)
        _ = try Migrator(configuration, migrations: Array(Migration.all.prefix(number - 1))).migrate()
        let session = try BlockingSession(configuration, timeoutMilliseconds: TestCluster.patience)
        try session.run(
            script: """
                insert into tenant values (1, 'demo', '', false, 'live', now());
                insert into shard (shard) values (0), (1);
                insert into app_user (user_key, tenant_key, user_id, shard, mailbox_id)
                select n, 1, 'u-' || n, n % 2, decode(repeat('00', 16), 'hex') from generate_series(1, 4) n;
                insert into device (device_key, user_key, device_id, applied_seq, last_seen, is_signed_out)
                select n, n, 'phone', 0, now(), false from generate_series(1, 4) n;
                insert into device_token
                select n * 10 + k, 1, n, n, k, 0, '', '', 'k',
                    decode(repeat('0' || n || '0' || k, 16), 'hex'), now() from generate_series(1, 3) n, generate_series(1, 2) k;
                """)
        _ = try Migrator(configuration).migrate()
        let digests = try session.rows(
            """
            select shard || ': ' || token_keys::text || ' ' || transports::text || ' at ' || revision
            from device_token_digest order by device_key
            """
        ).map { $0.text() }
        #expect(digests == ["1: {11,12} {1,2} at 1", "0: {21,22} {1,2} at 1", "1: {31,32} {1,2} at 2"])
    }

    private static let outcomes =
        "select mailbox_seq || ': ' || outcome || ' ' || reason from push_outcome order by mailbox_seq"
}

extension LiveEngine {
    /// The devices that can be woken, as the shard knows them; also: all that was asked before is committed.
    fileprivate func wakeable(_ user: String) async throws -> [String] {
        try await ask { self.engine.devices(ShardFixture.name(user), $0) }
            .filter(\.isWakeable).map(\.device.text).sorted()
    }

    /// What another process does.
    fileprivate func run(_ script: String) throws {
        try BlockingSession(fixture.configuration, timeoutMilliseconds: TestCluster.patience).run(
            script: script)
    }
}

extension ShardFixture {
    /// `device: tokens at revision`, in the order of revisions.
    fileprivate func digests() async throws -> [String] {
        try await texts(
            """
            select device_key || ': ' || cardinality(token_keys) || ' at ' || revision
            from device_token_digest order by revision
            """)
    }

    /// Returns once some session waits for a lock.
    fileprivate func waitUntilBlocked() async throws {
        let blocked =
            "select 1::text from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
        while try await texts(blocked).isEmpty { await Task.yield() }
    }
}
