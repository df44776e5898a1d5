import Domain
import Engine
import Testing

@testable import EventLoop
@testable import Store

@Suite struct PolicyChangeTests {
    @Test func `who was pushed to is woken by a policy that counts badges anew, and by no other`()
        async throws
    {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = await shard.open()
        var changes = ChangeSet()
        changes.newUsers = [ShardFixture.user(10, "bob"), ShardFixture.user(11, "cleo")]
        changes.records = [RecordRow(user: UserKey(10), isOwed: false, record: [1])]
        #expect(await shard.commit(changes) == nil)
        let directory = PostgresDirectoryStore(fixture.pool)

        func woken(by policy: String) async throws -> [UserKey] {
            try await directory.updateTenant(
                StoredTenant(
                    key: ShardFixture.tenant, name: TenantID("demo"), policy: Array(policy.utf8),
                    createdAt: ShardFixture.now))
            var request = LoadRequest()
            request.wakesDueBy = ShardFixture.now
            let wakes = try await shard.load(request).get().wakes
            var seen = ChangeSet()
            seen.wakes = wakes.map { WakeRow(user: $0, at: nil) }
            if !wakes.isEmpty { #expect(await shard.commit(seen) == nil) }
            return wakes
        }
        #expect(try await woken(by: #"{"push_ttl_s":60}"#) == [])
        #expect(try await woken(by: #"{"badge_counts_muted":true}"#) == [UserKey(10)])
        #expect(try await woken(by: #"{"badge_counts_muted":true,"push_ttl_s":60}"#) == [])
        #expect(try await woken(by: "{}") == [UserKey(10)])
    }
}
