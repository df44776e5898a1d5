import Domain

/// Which shard a user lives in: a hash that never changes, since the rows are grouped by it.
package enum ShardMap {
    /// FNV-1a over the tenant's key and the user's bytes.
    package static func shard(of name: UserName, count: Int) -> Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func mix(_ byte: UInt8) {
            hash ^= UInt64(byte)
            hash = hash &* 0x100_0000_01b3
        }
        for shift in stride(from: 0, to: 64, by: 8) {
            mix(UInt8(truncatingIfNeeded: name.tenant.raw >> Int64(shift)))
        }
        for byte in name.user.text.utf8 { mix(byte) }
        return Int((hash ^ (hash >> 32)) % UInt64(count))
    }
}
