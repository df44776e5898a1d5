import Domain
import Engine
import Testing

@testable import EventLoop
@testable import Store

/// Tasks that have been committed and are not in their table yet: nobody may miss them.
@Suite struct JournalTests {
    /// Bob, with a phone, and an entry that it has to be told of.
    private func bob() -> ChangeSet {
        var changes = ChangeSet()
        changes.newUsers = [ShardFixture.user(10, "bob")]
        changes.devices = [ShardFixture.device(20, of: 10, "phone")]
        changes.messages = [MessageRow(tenant: ShardFixture.tenant, message: ShardFixture.message(100))]
        changes.entries = [
            ShardFixture.entry(10, 1, .message(ShardFixture.message(100), .none, countsUnread: true))
        ]
        return changes
    }

    private func made(_ seqs: ClosedRange<Int64>) -> ChangeSet {
        var changes = ChangeSet()
        changes.tasksMade = seqs.map {
            ShardFixture.task(40 + $0, user: 10, device: 20, message: 100, seq: $0)
        }
        return changes
    }

    private func ended(_ seqs: Int64...) -> ChangeSet {
        var changes = ChangeSet()
        changes.tasksEnded = seqs.map(Self.task)
        return changes
    }

    private static func task(_ seq: Int64) -> TaskReference {
        TaskReference(user: UserKey(10), device: DeviceKey(20), seq: seq)
    }

    private func moved(_ seq: Int64, due: Int64, attempts: Int = 1) -> ChangeSet {
        var changes = ChangeSet()
        changes.tasksMoved = [
            TaskMove(
                task: Self.task(seq), state: .retrying, dueAt: ShardFixture.now + due, attempts: attempts)
        ]
        return changes
    }

    private var settling: LoadRequest {
        var request = LoadRequest()
        request.settles = true
        return request
    }

    /// A shard whose tasks wait, with bob in it.
    private func waitingShard(_ fixture: ShardFixture) async throws -> TestShard {
        let shard = fixture.store(journal: .waiting)
        _ = try await shard.open().get()
        #expect(await shard.commit(bob()) == nil)
        return shard
    }

    private func tasks(_ fixture: ShardFixture) async throws -> [String] {
        try await fixture.texts(
            "select mailbox_seq || ':' || state || ':' || attempts from push_task order by 1")
    }

    @Test func `what settles is in the tables once it is committed`() async throws {
        let fixture = try await ShardFixture()
        let shard = try await waitingShard(fixture)
        #expect(await shard.commit(made(1...2)) == nil)
        _ = try await shard.load(settling).get()
        var last = ended(2)
        last.settles = true
        for changes in [moved(1, due: 9), last] { #expect(await shard.commit(changes) == nil) }
        #expect(try await tasks(fixture) == ["1:3:1"])
        #expect(try await fixture.count("shard_journal") == 0)
    }

    @Test func `a task that ends before it was due in its table never gets there`() async throws {
        let fixture = try await ShardFixture()
        let shard = try await waitingShard(fixture)
        for changes in [made(1...2), ended(2)] { #expect(await shard.commit(changes) == nil) }
        #expect(try await fixture.count("push_task") == 0)
        #expect(try await fixture.count("shard_journal") == 2)
        _ = try await shard.load(settling).get()
        #expect(try await tasks(fixture) == ["1:1:0"])
        #expect(try await fixture.count("shard_journal") == 0)
        #expect(await shard.commit(ended(1)) == nil)
        #expect(try await fixture.count("push_task") == 1)
        _ = try await shard.load(settling).get()
        #expect(try await fixture.count("push_task") == 0)
    }

    @Test func `who is loaded with duties has those that wait`() async throws {
        let fixture = try await ShardFixture()
        let shard = try await waitingShard(fixture)
        for changes in [made(1...1), moved(1, due: 5_000)] { #expect(await shard.commit(changes) == nil) }
        var request = LoadRequest()
        request.users = [ShardFixture.name("bob")]
        let task = try #require(try await shard.load(request).get().users.first?.tasks.first)
        #expect((task.seq, task.state, task.attempts) == (1, .retrying, 1))
        #expect(task.dueAt == ShardFixture.now + 5_000)
    }

    @Test(arguments: [Int64(1), 2]) func `the next opening finds what the former left`(epoch: Int64)
        async throws
    {
        let fixture = try await ShardFixture()
        let former = try await waitingShard(fixture)
        for changes in [
            made(1...4), moved(2, due: 1), moved(2, due: 2, attempts: 2), ended(3), moved(4, due: 9),
        ] {
            #expect(await former.commit(changes) == nil)
        }
        let opening = try await fixture.store(epoch: epoch, journal: .waiting).open().get()
        #expect(opening.usersToReadBack == [UserKey(10)])
        #expect(opening.defects.isEmpty)
        #expect(try await tasks(fixture) == ["1:1:0", "2:3:2", "4:3:1"])
        #expect(try await fixture.count("shard_journal") == 0)
        #expect(await former.commit(made(9...9)) != nil)
        #expect(try await fixture.count("shard_journal") == 0)
    }

    @Test func `a task that comes back is there, whatever waits`() async throws {
        let fixture = try await ShardFixture()
        let shard = try await waitingShard(fixture)
        #expect(await shard.commit(made(1...1)) == nil)
        _ = try await shard.load(settling).get()
        for changes in [ended(1), made(1...1), moved(1, due: 1)] {
            #expect(await shard.commit(changes) == nil)
        }
        _ = try await shard.load(settling).get()
        #expect(try await tasks(fixture) == ["1:3:1"])
    }

    @Test func `a planned drain leaves no journal, and neither does a transaction of many tasks`()
        async throws
    {
        let fixture = try await ShardFixture()
        let shard = try await waitingShard(fixture)
        #expect(await shard.commit(made(1...1)) == nil)
        var drained = ChangeSet()
        drained.marksDrained = true
        #expect(await shard.commit(drained) == nil)
        #expect(try await fixture.count("shard_journal") == 0)
        #expect(await shard.commit(made(2...2)) == nil)
        #expect(await shard.commit(made(3...Int64(JournalLimits.waiting.rows + 3))) == nil)
        #expect(try await fixture.count("shard_journal") == 0)
        #expect(try await fixture.count("push_task") == Int64(JournalLimits.waiting.rows) + 3)
    }

    @Test func `tasks that wait for who was removed meanwhile are nobody's`() async throws {
        let fixture = try await ShardFixture()
        let shard = try await waitingShard(fixture)
        #expect(await shard.commit(made(1...2)) == nil)
        try await PostgresDirectoryStore(fixture.pool).deleteTenant(ShardFixture.tenant)
        _ = try await shard.load(settling).get()
        #expect(try await fixture.count("push_task") == 0)
        #expect(try await fixture.count("shard_journal") == 0)
    }

    @Test func `what waits is written after a while, also if nothing else happens`() async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store(journal: JournalLimits(milliseconds: 0))
        _ = try await shard.open().get()
        #expect(await shard.commit(bob()) == nil)
        #expect(await shard.commit(made(1...1)) == nil)
        while try await fixture.count("push_task") == 0 { await Task.yield() }
        #expect(try await fixture.count("shard_journal") == 0)
    }

    @Test func `who asks for the tables while they are being written is answered afterwards`() async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store(journal: JournalLimits(milliseconds: 0))
        _ = try await shard.open().get()
        #expect(await shard.commit(bob()) == nil)
        for count in Int64(1)...30 {
            #expect(await shard.commit(made(count...count)) == nil)
            _ = try await shard.load(settling).get()
            #expect(try await fixture.count("push_task") == count)
        }
    }

    @Test func `a transaction that fails takes nothing of what waited with it`() async throws {
        let fixture = try await ShardFixture()
        let shard = try await waitingShard(fixture)
        #expect(await shard.commit(made(1...1)) == nil)
        var clash = made(2...Int64(JournalLimits.waiting.rows + 2))
        clash.entries = bob().entries
        #expect(await shard.commit(clash) != nil)
        // The shard does not know any more what waits: it has to be opened anew.
        #expect(await shard.commit(made(3...3)) != nil)
        _ = try await shard.open().get()
        #expect(try await tasks(fixture) == ["1:1:0"])
    }

    @Test func `a page that cannot be applied is set aside and told of, the others are applied`() async throws
    {
        let fixture = try await ShardFixture()
        let shard = try await waitingShard(fixture)
        for changes in [made(1...1), made(2...3), made(2...2), made(4...4)] {
            #expect(await shard.commit(changes) == nil)
        }
        // The third page makes a task that the second has made, the fourth one that is there already.
        try await fixture.run("insert into shard_journal values (0, 9, '\\x0201')")
        try await fixture.run(
            """
            insert into push_task (user_key, device_key, mailbox_seq, task_key, message_key, materialised_at,
                due_at, shard, state, mention)
            values (10, 20, 4, 44, 100, now(), now(), 0, 1, 0)
            """)
        let opening = try await fixture.store(epoch: 2, journal: .waiting).open().get()
        #expect(opening.defects.count == 3)
        #expect(opening.defects.last == "journal page 9: not of this form")
        #expect(try await tasks(fixture) == ["1:1:0", "2:1:0", "3:1:0", "4:1:0"])
        #expect(try await fixture.count("shard_journal") == 3)
        #expect(try await fixture.store(epoch: 3, journal: .waiting).open().get().defects.isEmpty)
    }

    @Test func `a server that knows no journal opens no shard that has one`() async throws {
        let fixture = try await ShardFixture()
        let shard = try await waitingShard(fixture)
        let takes = Query(name: "take", sql: "update shard set life = life + 1 where shard = 0")
        _ = try await fixture.pool.execute(takes)
        _ = try await shard.open().get()
        #expect(await shard.commit(made(1...1)) == nil)
        await #expect {
            _ = try await fixture.pool.execute(takes)
        } throws: { error in
            "\(error)".contains("shard 0 has a journal, which this server cannot read")
        }
    }

    /// What a server does that reads pages up to this format, or does not say up to which.
    private func take(_ fixture: ShardFixture, reading format: String?) async throws {
        var batch = StatementBatch(.transaction)
        batch.add(Query(name: "reads", sql: "select set_config('rouse.reads_journal', 'on', true)")) { _ in }
        batch.add(Query(name: "format", sql: "select set_config('rouse.journal_format', $1, true)")) {
            $0.text(format ?? "")
        }
        batch.add(Query(name: "take", sql: "update shard set life = life + 1 where shard = 0")) { _ in }
        _ = try await fixture.pool.execute(batch)
    }

    @Test func `a server opens no shard whose journal is of a later format than it knows`() async throws {
        let fixture = try await ShardFixture()
        try await fixture.run("insert into shard_journal values (0, 8, '\\x01'), (0, 9, '')")
        try await take(fixture, reading: nil)
        try await fixture.run("insert into shard_journal values (0, 7, '\\x02'), (0, 6, '\\x01')")
        try await take(fixture, reading: "2")
        for format in [nil, "1"] {
            await #expect {
                try await take(fixture, reading: format)
            } throws: {
                "\($0)".contains("shard 0 has a journal, which this server cannot read")
            }
        }
    }

    @Test func `a page of a later format is left to a server that knows it`() async throws {
        let fixture = try await ShardFixture()
        let later =
            "insert into shard_journal values (0, 1, set_byte('\\x00', 0, \(JournalEncoding.format + 1)))"
        try await fixture.run(later)
        await #expect(throws: StoreFailure.self) { try await fixture.store().open().get() }
        #expect(try await fixture.texts("select is_set_aside::text from shard_journal") == ["false"])
    }

    @Test func `the audit waits for tasks that are on their way, and not for ever`() async throws {
        let live = try await LiveEngine(ShardFixture(), journal: .waiting)
        try await live.register("bob", "phone", token: "bob-phone")
        let before = TestTime.now()
        await live.send("m-1", to: "bob")
        _ = await live.sender.requests(1)
        #expect(try await live.fixture.count("push_task") == 0)
        #expect(try await live.audit(at: before).violations == 0)
        try await live.fixture.run(
            "update mailbox_entry set materialised_at = materialised_at - interval '11 s'")
        #expect(try await live.audit().violations(of: .missing) == 1)
    }

    @Test func `what the audit asks a shard about is over in its table, too, when it answers`() async throws {
        let live = try await LiveEngine(ShardFixture(), journal: .waiting)
        try await live.register("bob", "phone", token: "bob-phone")
        await live.send("m-1", to: "bob")
        let request = await live.sender.requests(1)[0]
        await live.die()
        await live.start()
        #expect(try await live.states("bob") == ["in_flight"])
        let answer = ProviderAnswer(status: 200, reason: "")
        live.engine.report([PushReport(request: request.id, verdict: .accepted, answer: answer)])
        while try await live.states("bob") != [] { await Task.yield() }
        #expect(try await live.fixture.count("push_task") == 1)
        let status = try await live.audit()
        #expect(status.last?.tasks == 1)
        #expect(status.violations == 0)
        #expect(try await live.fixture.count("push_task") == 0)
    }
}
