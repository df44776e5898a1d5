/// A row key: allotted by the owner of the lease, growing, never used twice.
package struct Key<Kind>: Hashable, Comparable, Sendable {
    package let raw: Int64

    package init(_ raw: Int64) { self.raw = raw }

    package static func < (left: Self, right: Self) -> Bool { left.raw < right.raw }
}

package enum TaskKind {}
package enum TokenKind {}

package typealias TenantKey = Key<TenantKind>
package typealias UserKey = Key<UserKind>
package typealias DeviceKey = Key<DeviceKind>
package typealias MessageKey = Key<MessageKind>
package typealias TaskKey = Key<TaskKind>
package typealias TokenKey = Key<TokenKind>

/// Allots row keys without a round trip: `epoch (20 bits) | lane (7 bits) | counter (36 bits)`.
///
/// The epoch is that of the lease, which grows with each owner, so that two
/// owners never allot one key; a lane belongs to one shard, so that two shards
/// never do. Keys of a lane grow, which keeps the index pages hot.
package struct KeyAllocator: Sendable {
    /// The lane of keys that belong to no shard.
    package static let sharedLane = 127

    private var next: Int64

    /// - Precondition: the epoch fits 20 bits (a million take-overs), the lane 7.
    package init(epoch: Int64, lane: Int) {
        precondition(epoch > 0 && epoch < 1 << 20 && lane >= 0 && lane < 128)
        next = epoch << 43 | Int64(lane) << 36
    }

    /// The epoch its keys carry.
    package var epoch: Int64 { next >> 43 }

    package mutating func allot<Kind>() -> Key<Kind> {
        next += 1
        return Key(next)
    }
}
