import Domain
import Engine
import Testing

@testable import EventLoop
@testable import Store

/// No transaction of an earlier owner, or of an earlier life of ours, takes effect after a shard was opened.
@Suite struct FenceTests {
    private func newcomer(_ key: Int64) -> ChangeSet {
        var changes = ChangeSet()
        changes.newUsers = [ShardFixture.user(key, "user-\(key)")]
        return changes
    }

    @Test func `a former owner commits nothing, and cannot take the shard back`() async throws {
        let fixture = try await ShardFixture()
        let former = fixture.store(epoch: 1)
        _ = await former.open()
        #expect(await former.commit(newcomer(1)) == nil)
        let owner = fixture.store(epoch: 2)
        _ = await owner.open()
        // Its session was ended: what it sends is lost, and it must open again, which is refused.
        let failure = await former.commit(newcomer(2))
        #expect(failure != nil)
        #expect(await former.open().map { _ in true } == .failure(.fenced))
        #expect(await owner.commit(newcomer(3)) == nil)
        #expect(try await fixture.count("app_user") == 2)
    }

    @Test func `an earlier life of the same owner is fenced by the row, not only by its ended session`()
        async throws
    {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = await shard.open()
        var earlier = StatementBatch(.transaction)
        earlier.add(.fenceShard) {
            $0.int2(0)
            $0.int8(1)
            $0.int8(1)
        }
        earlier.append(newcomer(1), JournalPage(), shard: 0)
        _ = await shard.open()
        await #expect {
            _ = try await fixture.pool.execute(earlier)
        } throws: { error in
            (error as? DatabaseError).map { StoreFailure($0) } == .fenced
        }
        #expect(try await fixture.count("app_user") == 0)
    }

    @Test func `a session that stands still inside its transaction is ended and leaves nothing`() async throws
    {
        let fixture = try await ShardFixture()
        let former = fixture.store(epoch: 1)
        _ = await former.open()
        var configuration = fixture.configuration
        configuration.applicationName = "rouse shard 0"
        let frozen = try BlockingSession(configuration, timeoutMilliseconds: TestCluster.patience)
        try frozen.run(
            script: """
                begin;
                select fence_shard(0::smallint, 1, 1);
                insert into app_user (user_key, tenant_key, user_id, shard, mailbox_id)
                    values (7, 1, 'late', 0, decode(repeat('00', 16), 'hex'));
                """)
        let owner = fixture.store(epoch: 2)
        _ = try await owner.open().get()
        #expect(await owner.commit(newcomer(8)) == nil)
        #expect(throws: DatabaseError.self) { try frozen.run(script: "commit") }
        #expect(try await fixture.count("app_user") == 1)
    }

    @Test func `a transaction that began before and cannot be ended is waited for`() async throws {
        let fixture = try await ShardFixture()
        let former = fixture.store(epoch: 1)
        _ = await former.open()
        // Under another name, so that it is not ended: as after a refused pg_terminate_backend.
        let old = try BlockingSession(fixture.configuration, timeoutMilliseconds: TestCluster.patience)
        try old.run(script: "begin; select fence_shard(0::smallint, 1, 1)")
        let owner = fixture.store(epoch: 2)
        async let opening = owner.open()
        try await waitUntilBlocked(fixture)
        try old.run(script: "commit")
        _ = try await opening.get()
    }

    /// Holds a user's name, so that a transaction that inserts it waits behind its fence.
    private func holdName(of key: Int64, _ fixture: ShardFixture) throws -> BlockingSession {
        let blocker = try BlockingSession(fixture.configuration, timeoutMilliseconds: TestCluster.patience)
        try blocker.run(
            script: """
                begin;
                insert into app_user (user_key, tenant_key, user_id, shard, mailbox_id)
                    values (900, 1, 'user-\(key)', 0, decode(repeat('00', 16), 'hex'));
                """)
        return blocker
    }

    @Test(arguments: [1, 2])
    func `a transaction that has passed its fence is shut out by a reload, ours or another's`(
        epoch: Int64
    ) async throws {
        let fixture = try await ShardFixture()
        let former = fixture.store(epoch: 1)
        _ = await former.open()
        #expect(await former.commit(newcomer(1)) == nil)
        let blocker = try holdName(of: 2, fixture)
        var changes = newcomer(2)
        changes.devices = [ShardFixture.device(20, of: 1, "phone")]
        async let lost = former.commit(changes)
        try await waitUntilBlocked(fixture)
        // The same process reloads its shard, or another takes it over; neither waits for the blocker.
        let owner = epoch == 1 ? former : fixture.store(epoch: epoch)
        _ = try await owner.open().get()
        #expect(await owner.commit(newcomer(3)) == nil)
        guard case .unavailable? = await lost else {
            Issue.record("what was under way has no known outcome")
            return
        }
        try blocker.run(script: "rollback")
        #expect(await owner.commit(newcomer(4)) == nil)
        #expect(try await fixture.count("app_user") == 3)
        #expect(try await fixture.count("device") == 0)
    }

    @Test func `what an old transaction wrote before it was waited for is seen by the reload`() async throws {
        let fixture = try await ShardFixture()
        let former = fixture.store(epoch: 1)
        _ = await former.open()
        #expect(await former.commit(newcomer(1)) == nil)
        let old = try BlockingSession(fixture.configuration, timeoutMilliseconds: TestCluster.patience)
        try old.run(
            script: """
                begin;
                select fence_shard(0::smallint, 1, 1);
                insert into push_task (shard, user_key, device_key, mailbox_seq, task_key, message_key,
                    mention, state, materialised_at, due_at)
                values (0, 1, 20, 1, 5, 100, 0, 2, now(), now());
                """)
        let owner = fixture.store(epoch: 2)
        async let opening = owner.open()
        try await waitUntilBlocked(fixture)
        try old.run(script: "commit")
        #expect(try await opening.get().usersToReadBack == [UserKey(1)])
        // From here on its session is fenced like any other.
        #expect(throws: DatabaseError.self) { try old.run(script: "select fence_shard(0::smallint, 1, 1)") }
    }

    @Test func `no entry is left without its message when another shard wrote that under an older key`()
        async throws
    {
        let fixture = try await ShardFixture()
        let shard = fixture.store(shard: 1)
        _ = await shard.open()
        #expect(await shard.commit(newcomer(1)) == nil)
        // Of another shard, and of unknown end: its message came under key 100, and is repeated as 101.
        let old = try BlockingSession(fixture.configuration, timeoutMilliseconds: TestCluster.patience)
        try old.run(
            script: """
                begin;
                insert into message (tenant_key, message_key, message_id, conversation_id, conversation_kind,
                    member_count, is_e2ee, sender_user, counts_unread, wants_push, notification, payload,
                    wants_wake)
                values (1, 100, 'm', 'c-1', 0, 2, false, 'alice', true, true, '', '', false);
                """)
        async let late = shard.commit(materialising(101))
        try await waitUntilBlocked(fixture)
        try old.run(script: "commit")
        guard case .unavailable? = await late else {
            Issue.record("an entry without its message")
            return
        }
        _ = try await shard.open().get()
        #expect(try await fixture.count("mailbox_entry") == 0)
        // Read back, the message is known by its first key; and who writes that key again is right.
        #expect(await shard.commit(materialising(100)) == nil)
        #expect(try await fixture.count("mailbox_entry") == 1)
    }

    private func materialising(_ key: Int64) -> ChangeSet {
        let message = ShardFixture.message(key, id: "m")
        var changes = ChangeSet()
        changes.messages = [MessageRow(tenant: ShardFixture.tenant, message: message)]
        changes.entries = [
            ShardFixture.entry(1, 1, .message(message, .none, countsUnread: true))
        ]
        return changes
    }

    @Test func `a session idle in its transaction that nobody may end is ended by its own time-out`()
        async throws
    {
        let fixture = try await ShardFixture()
        let former = fixture.store(epoch: 1)
        _ = await former.open()
        // Under another name, as where pg_terminate_backend is refused.
        var configuration = fixture.configuration
        configuration.idleInTransactionTimeoutMilliseconds = 300
        let frozen = try BlockingSession(configuration, timeoutMilliseconds: TestCluster.patience)
        try frozen.run(
            script: """
                begin;
                select fence_shard(0::smallint, 1, 1);
                insert into app_user (user_key, tenant_key, user_id, shard, mailbox_id)
                    values (7, 1, 'late', 0, decode(repeat('00', 16), 'hex'));
                """)
        let owner = fixture.store(epoch: 2)
        _ = try await owner.open().get()
        #expect(throws: DatabaseError.self) { try frozen.run(script: "commit") }
        #expect(await owner.commit(newcomer(8)) == nil)
        #expect(try await fixture.count("app_user") == 1)
    }

    @Test func `after a commit of unknown outcome nothing is done before the shard is opened again`()
        async throws
    {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = await shard.open()
        let blocker = try BlockingSession(fixture.configuration, timeoutMilliseconds: TestCluster.patience)
        try blocker.run(script: "begin; select from shard where shard = 0 for update")
        async let lost = shard.commit(newcomer(1))
        try await waitUntilBlocked(fixture)
        try await endSessions(of: "rouse shard 0", fixture)
        guard case .unavailable? = await lost else {
            Issue.record("a lost session is unavailable")
            return
        }
        try blocker.run(script: "rollback")
        #expect(await shard.commit(newcomer(2)) == .unavailable("the shard is not open"))
        _ = try await shard.open().get()
        #expect(await shard.commit(newcomer(3)) == nil)
        #expect(try await fixture.count("app_user") == 1)
    }

    @Test func `a session lost at rest is replaced: nothing was under way`() async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = await shard.open()
        try await endSessions(of: "rouse shard 0", fixture)
        var failure = await shard.commit(newcomer(1))
        if failure != nil {
            // The end had not been noticed yet.
            _ = try await shard.open().get()
            failure = await shard.commit(newcomer(1))
        }
        #expect(failure == nil)
    }

    private func endSessions(of name: String, _ fixture: ShardFixture) async throws {
        let end = Query(
            name: "end_sessions",
            sql: """
                select count(pg_terminate_backend(pid)) from pg_stat_activity
                where application_name = $1::text and datname = current_database()
                """)
        _ = try await fixture.pool.execute(end) { $0.text(name) }
    }

    /// Returns once some session waits for a lock.
    private func waitUntilBlocked(_ fixture: ShardFixture) async throws {
        let blocked = Query(
            name: "blocked",
            sql:
                "select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')"
        )
        while try await fixture.pool.execute(blocked).first({ $0.bool() }) != true { await Task.yield() }
    }
}
