import Domain

/// What a batch changes of calls: the newest version of each row.
struct CallBatch {
    /// (user, call) made by this batch, for repeats inside it.
    var made: Set<LegID> = []
    /// Rings that ended for good.
    var ends: [CallRing.End] = []
    private var calls: [CallKey: CallRow] = [:]
    private var legs: [LegID: LegRow] = [:]
    private var rings: [RingID: RingRow] = [:]
    private var counts: [DeviceKey: VoIPCount] = [:]

    struct LegID: Hashable {
        let user: UserKey
        let call: CallKey
    }

    private struct RingID: Hashable {
        let leg: LegID
        let device: DeviceKey
    }

    var isEmpty: Bool { calls.isEmpty && legs.isEmpty && rings.isEmpty && counts.isEmpty }

    mutating func put(_ row: CallRow) { calls[row.call.key] = row }

    mutating func put(_ row: LegRow) { legs[LegID(user: row.user, call: row.call)] = row }

    mutating func put(_ row: RingRow) {
        rings[RingID(leg: LegID(user: row.user, call: row.call), device: row.device)] = row
    }

    mutating func put(_ count: VoIPCount, of device: DeviceKey) { counts[device] = count }

    var changes: CallChanges {
        var changes = CallChanges()
        changes.calls = Array(calls.values)
        changes.legs = Array(legs.values)
        changes.rings = Array(rings.values)
        changes.counts = counts.map { VoIPCountRow(device: $0.key, count: $0.value) }
        return changes
    }
}
