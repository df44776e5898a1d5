import Domain
import Testing

@testable import Engine

@Suite struct ShardMapTests {
    @Test(arguments: [("alice", 0), ("bob", 0), ("", 1), ("用户", 3)])
    func `a user's shard never changes`(user: String, shard: Int) {
        let name = UserName(tenant: TenantKey(7), user: UserID(user))
        #expect(ShardMap.shard(of: name, count: 4) == shard)
    }

    @Test func `users spread over the shards`() {
        var counts = [0, 0, 0, 0]
        for number in 0..<4_000 {
            let name = UserName(tenant: TenantKey(1), user: UserID("user-\(number)"))
            counts[ShardMap.shard(of: name, count: 4)] += 1
        }
        #expect(counts.allSatisfy { $0 > 800 })
    }
}
