package import Domain
import Synchronization

/// A change of the digest log, as a shard follows it.
package struct FollowedDigest: Sendable {
    package let revision: Int64
    package let key: DeviceKey
    package let user: UserKey
    /// The device with its newest digest; nil: it is gone.
    package let device: StoredDevice?

    package init(revision: Int64, key: DeviceKey, user: UserKey, device: StoredDevice?) {
        self.revision = revision
        self.key = key
        self.user = user
        self.device = device
    }
}

/// Where a shard starts to follow, and how much it takes at a time.
package struct DigestQuery: Equatable, Sendable {
    package static let limit = 500

    package let after: Int64

    package init(after: Int64) { self.after = after }
}

/// The newest revision of a shard, and what of it waits.
package struct DigestHead: Equatable, Sendable {
    package let shard: Int
    package let revision: Int64
    /// When the oldest change above the one followed was made; nil: there is none.
    package let waitingSince: WallTime?

    package init(shard: Int, revision: Int64, waitingSince: WallTime?) {
        self.shard = shard
        self.revision = revision
        self.waitingSince = waitingSince
    }
}

/// The digest log as seen from beside the shards. Any task may call it.
package protocol DigestLogStore: Sendable {
    /// `followed`: the revision per shard.
    func digestHeads(after followed: [Int: Int64]) async throws(StoreFailure) -> [DigestHead]
}

/// How far the shards are behind the log, as last looked at.
package struct DigestLag: Equatable, Sendable {
    /// When the oldest change that is not followed was made; nil: all is followed.
    package var waitingSince: WallTime?
    /// Revisions not followed, over all shards.
    package var revisionsBehind: Int64 = 0

    package init() {}

    package func milliseconds(at now: WallTime) -> Int64 {
        waitingSince.map { max(0, now - $0) } ?? 0
    }
}

/// Where the follower writes the lag down. Any thread.
package final class DigestLagRecord: Sendable {
    private let current = Mutex(DigestLag())

    package init() {}

    package var lag: DigestLag { current.withLock { $0 } }

    func set(_ lag: DigestLag) { current.withLock { $0 = lag } }
}

/// The revision through which a shard has followed; nothing while it is not open. Any thread.
final class DigestPlace: Sendable {
    private let revision = Atomic<Int64>(-1)

    var value: Int64? {
        let known = revision.load(ordering: .acquiring)
        return known < 0 ? nil : known
    }

    func set(_ value: Int64?) { revision.store(value ?? -1, ordering: .releasing) }
}
