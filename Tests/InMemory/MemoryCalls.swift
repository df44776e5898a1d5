import Domain
import Engine

/// What is durable of calls in a test, in memory.
struct MemoryCalls {
    private struct LegID: Hashable {
        let user: UserKey
        let call: CallKey
    }

    private var calls: [CallName: Call] = [:]
    private var cancelled: [CallName: String] = [:]
    private var legs: [LegID: LegRow] = [:]
    private var rings: [LegID: [DeviceKey: RingRow]] = [:]
    private(set) var counts: [DeviceKey: VoIPCount] = [:]

    mutating func commit(_ changes: CallChanges) {
        for row in changes.calls {
            let name = CallName(tenant: row.tenant, call: row.call.id)
            if calls[name] == nil { calls[name] = row.call }
        }
        for row in changes.legs { legs[LegID(user: row.user, call: row.call)] = row }
        for row in changes.rings {
            rings[LegID(user: row.user, call: row.call), default: [:]][row.device] = row
        }
        for row in changes.counts { counts[row.device] = row.count }
    }

    func known(_ name: CallName, _ users: [(UserID, UserKey?)]) -> KnownCall? {
        guard let call = calls[name] else { return nil }
        var known: [UserID: KnownLeg] = [:]
        for (user, key) in users {
            guard let id = key.map({ LegID(user: $0, call: call.key) }), let leg = legs[id] else { continue }
            let counted = (rings[id] ?? [:]).values.count {
                [nil, .notified, .applied].contains($0.end?.outcome)
            }
            known[user] = KnownLeg(state: leg.state, devices: counted)
        }
        return KnownCall(call: call, cancelled: cancelled[name], legs: known)
    }

    func ringing(at user: UserKey) -> [StoredLeg] {
        calls.values.compactMap { call in
            let id = LegID(user: user, call: call.key)
            guard legs[id]?.state == .ringing else { return nil }
            return StoredLeg(call: call, rings: Array((rings[id] ?? [:]).values))
        }
    }

    /// The users who have a leg; nil: no such call.
    mutating func cancel(_ name: CallName, reason: String, callee: UserKey?) -> [UserKey]? {
        guard let call = calls[name] else { return nil }
        if callee == nil, cancelled[name] == nil { cancelled[name] = reason }
        let users = legs.keys.filter { $0.call == call.key }.map(\.user)
        guard let callee else { return users }
        return users.contains(callee) ? [callee] : nil
    }
}
