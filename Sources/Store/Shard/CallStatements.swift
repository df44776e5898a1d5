import Domain
import Engine

extension StatementBatch {
    /// After the users and devices, to whose rows these belong.
    mutating func append(_ changes: CallChanges, _ shard: Int16) {
        if !changes.legs.isEmpty { putCallLegs(changes.legs, shard) }
        if !changes.rings.isEmpty { putCallRings(changes.rings) }
        if !changes.counts.isEmpty {
            add(.putVoipCounts) {
                $0.int8s(changes.counts) { $0.device.raw }
                $0.int4s(changes.counts) { Int32(clamping: $0.count.day) }
                $0.int4s(changes.counts) { Int32(clamping: $0.count.used) }
            }
        }
    }

    mutating func insertCalls(_ unsorted: [CallRow]) {
        let rows = unsorted.sorted { ($0.tenant, $0.call.id) < ($1.tenant, $1.call.id) }
        add(.insertCalls) {
            $0.int8s(rows) { $0.tenant.raw }
            $0.int8s(rows) { $0.call.key.raw }
            $0.texts(rows) { $0.call.id.text }
            $0.texts(rows) { $0.call.caller.user.text }
            $0.texts(rows) { $0.call.caller.name }
            $0.bools(rows) { $0.call.isVideo }
            $0.texts(rows) { $0.call.conversation?.text }
            $0.byteas(rows) { $0.call.data }
            $0.timestamps(rows) { $0.call.startedAt }
            $0.timestamps(rows) { $0.call.expiresAt }
        }
    }

    private mutating func putCallLegs(_ rows: [LegRow], _ shard: Int16) {
        add(.putCallLegs) {
            $0.int2(shard)
            $0.int8s(rows) { $0.user.raw }
            $0.int8s(rows) { $0.call.raw }
            $0.int2s(rows) { CallRows.code(of: $0.state) }
            $0.texts(rows) { if case .answered(let device) = $0.state { device.text } else { nil } }
            $0.texts(rows) { if case .cancelled(let reason) = $0.state { reason } else { nil } }
            $0.timestamps(rows) { $0.changedAt }
        }
    }

    private mutating func putCallRings(_ rows: [RingRow]) {
        add(.putCallRings) {
            $0.int8s(rows) { $0.user.raw }
            $0.int8s(rows) { $0.call.raw }
            $0.int8s(rows) { $0.device.raw }
            $0.int2s(rows) { Int16($0.state.rawValue) }
            $0.timestamps(rows) { $0.at }
            $0.int2s(rows) { Int16(clamping: $0.attempts) }
            $0.int4s(rows) { $0.chargedDay.map { Int32(clamping: $0) } }
            $0.int2s(rows) { $0.end.map { Int16($0.outcome.rawValue) } }
            $0.int2s(rows) { $0.end.map { Int16($0.reason.rawValue) } }
            $0.byteas(rows) { $0.trace }
        }
    }

    mutating func addCallProbes(_ probes: [CallProbe]) {
        add(.loadKnownCalls) {
            $0.int8s(probes) { $0.name.tenant.raw }
            $0.texts(probes) { $0.name.call.text }
        }
        let legs = probes.flatMap { probe in probe.users.map { (name: probe.name, user: $0) } }
        add(.loadKnownLegs) {
            $0.int8s(legs) { $0.name.tenant.raw }
            $0.texts(legs) { $0.name.call.text }
            $0.texts(legs) { $0.user.text }
        }
    }
}
