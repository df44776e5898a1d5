package import Domain
package import Engine

/// The heads of the digest log, and its compaction.
package struct PostgresDigestLogStore: DigestLogStore {
    private let pool: PostgresPool

    package init(_ pool: PostgresPool) {
        self.pool = pool
    }

    package func digestHeads(after followed: [Int: Int64]) async throws(StoreFailure) -> [DigestHead] {
        let shards = followed.sorted { $0.key < $1.key }
        do throws(DatabaseError) {
            return try await pool.execute(.readDigestHeads) {
                $0.int2s(shards) { Int16(clamping: $0.key) }
                $0.int8s(shards) { $0.value }
            }.map {
                DigestHead(shard: Int($0.int2()), revision: $0.int8(), waitingSince: $0.timestampOrNil())
            }
        } catch { throw StoreFailure(error) }
    }
}

/// Keeps the digest log compact: digests of devices that are gone leave once everyone has followed.
package enum DigestCompaction {
    /// A follower that was away longer reads everything anew.
    private static let keptMilliseconds: Int64 = 86_400_000

    /// To be run every few hours; several at once do no harm.
    package static func compact(now: WallTime, _ pool: PostgresPool) async throws(DatabaseError) {
        _ = try await pool.execute(.compactDigests) { $0.timestamp(now + -keptMilliseconds) }
    }
}
