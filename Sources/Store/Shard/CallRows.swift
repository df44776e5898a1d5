import Domain
import Engine

/// Calls, legs and rings as their rows have them.
enum CallRows {
    /// What `call_leg.state` says.
    static func code(of state: CallLeg.State) -> Int16 {
        switch state {
        case .ringing: 1
        case .answered: 2
        case .cancelled: 3
        case .expired: 4
        }
    }

    /// The answer to `load_ringing_legs`: a row for each ring, those of a leg together.
    static func ringingLegs(_ rows: Rows) -> [UserKey: [StoredLeg]] {
        var legs: [UserKey: [StoredLeg]] = [:]
        for (user, call, ring) in rows.map({ $0.ringingLeg() }) {
            var known = legs[user] ?? []
            let rings = (known.last?.call == call ? known.removeLast().rings : []) + (ring.map { [$0] } ?? [])
            known.append(StoredLeg(call: call, rings: rings))
            legs[user] = known
        }
        return legs
    }

    static func knownLegs(_ rows: Rows) -> [CallName: [UserID: KnownLeg]] {
        var legs: [CallName: [UserID: KnownLeg]] = [:]
        for (name, user, leg) in rows.map({ $0.knownLeg() }) { legs[name, default: [:]][user] = leg }
        return legs
    }

    static func knownCalls(
        _ rows: Rows, legs: [CallName: [UserID: KnownLeg]]
    ) -> [CallName: KnownCall] {
        let calls = rows.map { row in
            let tenant = TenantKey(row.int8())
            let call = row.call()
            let name = CallName(tenant: tenant, call: call.id)
            return (name, KnownCall(call: call, cancelled: row.textOrNil(), legs: legs[name] ?? [:]))
        }
        return Dictionary(calls) { first, _ in first }
    }
}

extension Row {
    /// The columns of a device after its profile.
    mutating func voIPCount() -> VoIPCount? {
        let (day, used) = (int4OrNil(), int4OrNil())
        guard let day, let used else { return nil }
        return VoIPCount(day: Int64(day), used: Int(used))
    }

    fileprivate mutating func call() -> Call {
        Call(
            key: CallKey(int8()), id: CallID(text()),
            caller: Call.Caller(user: UserID(text()), name: textOrNil()), isVideo: bool(),
            conversation: textOrNil().map { ConversationID($0) }, data: bytea(), startedAt: timestamp(),
            expiresAt: timestamp())
    }

    fileprivate mutating func ringingLeg() -> (UserKey, Call, RingRow?) {
        let user = UserKey(int8())
        let call = call()
        guard let device = int8OrNil() else { return (user, call, nil) }
        guard let state = StoredRingState(rawValue: UInt8(int2())) else {
            preconditionFailure("a CHECK holds ring states")
        }
        let ring = RingRow(
            user: user, call: call.key, device: DeviceKey(device), state: state, at: timestamp(),
            attempts: Int(int2()), chargedDay: int4OrNil().map { Int64($0) }, end: ringEnd())
        return (user, call, ring)
    }

    /// A reason of a later version is none that we know.
    private mutating func ringEnd() -> CallRing.End? {
        let (outcome, reason) = (int2OrNil(), int2OrNil())
        guard let outcome, let outcome = Outcome(rawValue: UInt8(outcome)) else { return nil }
        return CallRing.End(outcome, reason.flatMap { OutcomeReason(rawValue: UInt8($0)) } ?? .none)
    }

    fileprivate mutating func knownLeg() -> (CallName, UserID, KnownLeg) {
        let name = CallName(tenant: TenantKey(int8()), call: CallID(text()))
        let user = UserID(text())
        let code = int2()
        let (device, reason) = (textOrNil(), textOrNil())
        let state: CallLeg.State
        switch code {
        case 1: state = .ringing
        case 2: state = .answered(by: DeviceID(device ?? ""))
        case 3: state = .cancelled(reason: reason ?? "")
        case 4: state = .expired
        default: preconditionFailure("a CHECK holds leg states")
        }
        return (name, user, KnownLeg(state: state, devices: Int(int4())))
    }
}
