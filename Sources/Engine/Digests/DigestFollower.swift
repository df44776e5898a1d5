/// Looks at the heads of the digest log, wakes the shards that are behind, and measures how far they are.
///
/// It measures from beside the shards: a shard that can not follow shows as lag.
package actor DigestFollower {
    private let engine: Engine
    private let store: any DigestLogStore

    package init(_ engine: Engine, _ store: any DigestLogStore) {
        self.engine = engine
        self.store = store
    }

    /// One look: measures, and lets the shards that are behind follow. Without an answer of
    /// the database what was known stays.
    package func poll() async {
        for shard in await measure() { engine.followDigests(shard: shard) }
    }

    /// Answers with the shards that are behind.
    package func measure() async -> [Int] {
        let followed = engine.digestsFollowed
        guard !followed.isEmpty else {
            engine.digestLag.set(DigestLag())
            return []
        }
        guard let heads = try? await store.digestHeads(after: followed) else { return [] }
        let behind = heads.filter { $0.revision > followed[$0.shard] ?? 0 }
        var lag = DigestLag()
        lag.waitingSince = behind.compactMap(\.waitingSince).min()
        lag.revisionsBehind = behind.reduce(0) { $0 + $1.revision - (followed[$1.shard] ?? 0) }
        engine.digestLag.set(lag)
        return behind.map(\.shard)
    }
}
