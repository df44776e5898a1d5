import Domain
import Engine

/// The digest log of a world: the newest digest of each device, revisions growing per shard.
final class DigestLog {
    private struct Row {
        let shard: Int
        let revision: Int64
        let tokens: Set<TokenDigest>
    }

    private var rows: [DeviceKey: Row] = [:]
    private var heads: [Int: Int64] = [:]

    func tokens(of device: DeviceKey) -> Set<TokenDigest> { rows[device]?.tokens ?? [] }

    /// The newest revision of a shard.
    func head(of shard: Int) -> Int64 { heads[shard] ?? 0 }

    /// The revisions given.
    func append(
        _ keys: [DeviceKey], shard: Int, _ devices: [DeviceKey: Database.Device]
    ) -> ClosedRange<Int64>? {
        guard !keys.isEmpty else { return nil }
        let first = head(of: shard) + 1
        for (place, key) in keys.enumerated() {
            rows[key] = Row(
                shard: shard, revision: first + Int64(place), tokens: devices[key]?.digest ?? [])
        }
        heads[shard] = first + Int64(keys.count) - 1
        return first...(first + Int64(keys.count) - 1)
    }

    func changes(after revision: Int64, shard: Int) -> [(Int64, DeviceKey)] {
        rows.filter { $0.value.shard == shard && $0.value.revision > revision }
            .map { ($0.value.revision, $0.key) }.sorted { $0.0 < $1.0 }
    }
}
