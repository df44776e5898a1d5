import Domain

extension Engine {
    /// The revision followed, for each shard that is open.
    package var digestsFollowed: [Int: Int64] {
        var followed: [Int: Int64] = [:]
        for shard in shards { followed[shard.number] = shard.digestPlace.value }
        return followed
    }

    /// Lets a shard read what of the digest log it has not followed. Safe to ask at any time.
    package func followDigests(shard: Int) { shards[shard].submit(.followDigests) }
}

extension ShardRunner {
    /// What was read of the log, before any event of the batch is decided: nothing in memory is newer than
    /// it, but for what was decided between the batches.
    func follow(_ digests: [FollowedDigest], at now: Moment, _ batch: inout ShardBatch) {
        guard let last = digests.last else { return }
        guard batch.changes.digestsChanged.isEmpty else { return submit(.followDigests) }
        let concerned = cached(Set(digests.map(\.user)))
        for digest in digests {
            guard let cached = concerned[digest.user] else { continue }
            let held = cached.user.device(digest.key)?.tokens ?? []
            for token in held { cached.tokens[token.key] = nil }
            for token in digest.device?.tokens ?? [] { cached.tokens[token.digest.key] = token }
            let device = digest.device.map { Device($0, zones: zones) }
            let actions = cached.user.digestFollowed(digest.key, device, at: now)
            record(actions, of: cached, at: now, &batch)
        }
        batch.followsThrough = last.revision
        if digests.count == DigestQuery.limit { submit(.followDigests) }
    }

    private func cached(_ keys: Set<UserKey>) -> [UserKey: CachedUser] {
        var found: [UserKey: CachedUser] = [:]
        for cached in users.values where keys.contains(cached.user.key) { found[cached.user.key] = cached }
        return found
    }

    /// After the commit: what the batch had read, and then what it has written itself, if nothing of others
    /// lies between.
    func followed(_ batch: ShardBatch, _ committed: Committed?) {
        guard var place = digestPlace.value else { return }
        if let through = batch.followsThrough { place = max(place, through) }
        if let own = committed?.digestRevisions, own.lowerBound <= place + 1 {
            place = max(place, own.upperBound)
        }
        digestPlace.set(place)
    }
}
