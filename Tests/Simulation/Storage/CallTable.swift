import Domain
import Engine

/// What is durable of calls in a world: their rows, with the constraints the real schema has.
final class CallTable {
    struct LegID: Hashable {
        let user: UserKey
        let call: CallKey
    }

    struct RingID: Hashable {
        let leg: LegID
        let device: DeviceKey
    }

    private(set) var calls: [CallName: Call] = [:]
    private(set) var cancelled: [CallName: String] = [:]
    private(set) var legs: [LegID: LegRow] = [:]
    private(set) var rings: [RingID: RingRow] = [:]
    private(set) var counts: [DeviceKey: VoIPCount] = [:]

    var usersRinging: Set<UserKey> { Set(legs.values.filter { $0.state == .ringing }.map(\.user)) }

    /// Answers with what may not be.
    func commit(_ changes: CallChanges) -> [String] {
        var violations: [String] = []
        for row in changes.calls {
            let name = CallName(tenant: row.tenant, call: row.call.id)
            if calls[name] == nil { calls[name] = row.call }
        }
        let keys = Set(calls.values.map(\.key))
        for row in changes.legs {
            let id = LegID(user: row.user, call: row.call)
            if !keys.contains(row.call) { violations.append("a leg without its call: \(id)") }
            if let known = legs[id], known.state != .ringing { violations.append("a leg ends twice: \(id)") }
            legs[id] = row
        }
        for row in changes.rings {
            let id = RingID(leg: LegID(user: row.user, call: row.call), device: row.device)
            if legs[id.leg] == nil { violations.append("a ring without its leg: \(id)") }
            if let known = rings[id]?.end, row.end?.outcome != .notified, row.end != known {
                violations.append("a ring ends twice: \(id)")
            }
            if (row.state == .over) != (row.end != nil) { violations.append("a ring ends half: \(id)") }
            rings[id] = row
        }
        for row in changes.counts { counts[row.device] = row.count }
        return violations
    }

    func known(_ name: CallName, _ users: [(UserID, UserKey?)]) -> KnownCall? {
        guard let call = calls[name] else { return nil }
        var known: [UserID: KnownLeg] = [:]
        for (user, key) in users {
            guard let key, let leg = legs[LegID(user: key, call: call.key)] else { continue }
            let counted = ringRows(of: key, call).filter {
                [nil, .notified, .applied].contains($0.end?.outcome)
            }
            known[user] = KnownLeg(state: leg.state, devices: counted.count)
        }
        return KnownCall(call: call, cancelled: cancelled[name], legs: known)
    }

    func ringing(at user: UserKey) -> [StoredLeg] {
        calls.values.sorted { $0.key < $1.key }.filter {
            legs[LegID(user: user, call: $0.key)]?.state == .ringing
        }.map { StoredLeg(call: $0, rings: ringRows(of: user, $0)) }
    }

    /// As the backend's cancelling of the whole call does; nil: no such call.
    func cancel(_ name: CallName, reason: String) -> [UserKey]? {
        guard let call = calls[name] else { return nil }
        if cancelled[name] == nil { cancelled[name] = reason }
        return legs.keys.filter { $0.call == call.key }.map(\.user).sorted()
    }

    private func ringRows(of user: UserKey, _ call: Call) -> [RingRow] {
        rings.values.filter { $0.user == user && $0.call == call.key }.sorted { $0.device < $1.device }
    }
}
