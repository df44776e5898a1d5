import Domain
import Engine
import Testing

@testable import EventLoop
@testable import Store

/// Records of users that have been committed and are not in their table yet: whoever is loaded has them.
@Suite struct WaitingRecordTests {
    private func changes(_ record: UInt8..., isOwed: Bool = false, isFirst: Bool = false) -> ChangeSet {
        var changes = ChangeSet()
        changes.records = [
            RecordRow(user: UserKey(10), isOwed: isOwed, record: record, isFirst: isFirst)
        ]
        return changes
    }

    private var loading: LoadRequest {
        var request = LoadRequest()
        request.users = [ShardFixture.name("bob")]
        request.dutiesAreInMemory = true
        return request
    }

    private var settling: LoadRequest {
        var request = LoadRequest()
        request.settles = true
        return request
    }

    /// A shard with bob, and what it commits after him.
    private func shard(
        _ fixture: ShardFixture, _ journal: JournalLimits = .waiting, _ commits: ChangeSet...
    ) async throws -> TestShard {
        let shard = fixture.store(journal: journal)
        _ = try await shard.open().get()
        var bob = ChangeSet()
        bob.newUsers = [ShardFixture.user(10, "bob")]
        for changes in [bob] + commits { #expect(await shard.commit(changes) == nil) }
        return shard
    }

    private func records(_ fixture: ShardFixture) async throws -> [String] {
        try await fixture.texts("select encode(record, 'hex') || ':' || is_owed from user_push_record")
    }

    @Test func `who is loaded has the record that waits, and nothing is written for it`() async throws {
        let fixture = try await ShardFixture()
        let shard = try await shard(fixture, .waiting, changes(1, isFirst: true), changes(2, isOwed: true))
        let record = try await shard.load(loading).get().users.first?.record
        #expect(record?.record == [2])
        #expect(record?.isOwed == true)
        #expect(try await records(fixture) == [])
        #expect(try await fixture.count("shard_journal") == 2)
        _ = try await shard.load(settling).get()
        #expect(try await records(fixture) == ["02:true"])
        #expect(try await fixture.count("shard_journal") == 0)
        #expect(await shard.commit(changes(3)) == nil)
        #expect(try await shard.load(loading).get().users.first?.record?.record == [3])
        #expect(try await records(fixture) == ["02:true"])
    }

    @Test func `the next opening writes what waited, and names who is owed something`() async throws {
        let fixture = try await ShardFixture()
        _ = try await shard(
            fixture, .waiting, changes(1, isFirst: true), changes(2), changes(3, isOwed: true))
        let opening = try await fixture.store(epoch: 2, journal: .waiting).open().get()
        #expect(opening.defects == [])
        #expect(opening.usersToReadBack == [UserKey(10)])
        #expect(try await records(fixture) == ["03:true"])
        #expect(try await fixture.count("shard_journal") == 0)
    }

    @Test func `a first record that was overtaken before it was written is the first at the next opening`()
        async throws
    {
        let fixture = try await ShardFixture()
        _ = try await shard(fixture, .waiting, changes(1, isFirst: true), changes(2))
        // What a crash leaves when the first page's generation has gone.
        try await fixture.run("delete from shard_journal where position = 1")
        #expect(try await fixture.store(epoch: 2).open().get().defects == [])
        #expect(try await records(fixture) == ["02:false"])
    }

    @Test func `what leaves no room is written, and what comes waits`() async throws {
        let fixture = try await ShardFixture()
        let limits = JournalLimits(milliseconds: 3_600_000, rows: 2)
        let shard = try await shard(fixture, limits, changes(1, isFirst: true), changes(2), changes(3))
        #expect(try await records(fixture) == ["02:false"])
        #expect(try await fixture.texts("select position::text from shard_journal") == ["3"])
        #expect(try await shard.load(loading).get().users.first?.record?.record == [3])
        #expect(try await fixture.store(epoch: 2).open().get().defects == [])
        #expect(try await records(fixture) == ["03:false"])
    }

    @Test func `a record that waits for who was removed meanwhile is nobody's`() async throws {
        let fixture = try await ShardFixture()
        let shard = try await shard(fixture, .waiting, changes(1, isFirst: true))
        try await PostgresDirectoryStore(fixture.pool).deleteTenant(ShardFixture.tenant)
        _ = try await shard.load(settling).get()
        #expect(await shard.commit(changes(2)) == nil)
        #expect(try await fixture.store(epoch: 2).open().get().defects == [])
        #expect(try await records(fixture) == [])
        #expect(try await fixture.count("shard_journal") == 0)
    }

    @Test func `a record and its tasks leave together`() async throws {
        let fixture = try await ShardFixture()
        var both = changes(1, isFirst: true)
        both.tasksMade = [ShardFixture.task(40, user: 10, device: 20, message: 100, seq: 1)]
        let shard = try await shard(fixture, .waiting, both)
        #expect(try await fixture.count("shard_journal") == 1)
        var drained = ChangeSet()
        drained.marksDrained = true
        #expect(await shard.commit(drained) == nil)
        #expect(try await records(fixture) == ["01:false"])
        #expect(try await fixture.count("push_task") == 1)
        #expect(try await fixture.count("shard_journal") == 0)
    }
}
