@testable import Domain

/// Short words for calls on the stage.
extension Stage {
    func key(_ device: DeviceID) -> DeviceKey { user.device(device)?.key ?? DeviceKey(0) }

    func makeCall(_ id: String, ttlSeconds: Int64 = 30) -> Call {
        let key = id.utf8.reduce(Int64(7)) { ($0 &* 31 &+ Int64($1)) & 0xffff_ffff }
        return Call(
            key: CallKey(key), id: CallID(id), caller: Call.Caller(user: UserID("ann"), name: "Ann"),
            startedAt: moment.wall, expiresAt: moment.wall + ttlSeconds * 1_000)
    }

    /// `again`: a repeat, which the shard does not bring to the user.
    @discardableResult
    mutating func call(_ id: String, ttlSeconds: Int64 = 30, again: Bool = false) -> [UserAction] {
        if again, user.calls[CallID(id)] != nil { return [] }
        return user.callArrived(makeCall(id, ttlSeconds: ttlSeconds), at: moment)
    }

    /// The channel's turn for a call to a device.
    mutating func buildCall(
        _ device: DeviceID
    ) -> (draft: PushDraft?, request: UInt64, actions: [UserAction]) {
        let request = nextCallRequest
        let built = user.buildCall(key(device), request: request, at: moment)
        return (built.draft, request, built.actions)
    }

    /// Never used twice: calls and time go on.
    private var nextCallRequest: UInt64 {
        let flights = user.calls.legs.flatMap(\.rings).compactMap(\.attempt).map(\.request)
        return (flights.max() ?? 1_000) + 1
    }

    @discardableResult
    mutating func answerCall(
        _ device: DeviceID, _ request: UInt64, _ verdict: PushVerdict, jitter: Double = 0.5
    ) -> [UserAction] {
        user.callReported(
            key(device), request: request, verdict, ProviderAnswer(status: 200, reason: ""), jitter: jitter,
            at: moment)
    }
}

extension DeviceID {
    static let desk = DeviceID("desk")
}

extension [UserAction] {
    private var calls: [CallAction] { compactMap { if case .call(let action) = $0 { action } else { nil } } }

    var callsQueued: [Transport] {
        calls.compactMap { if case .queue(_, let token) = $0 { token.transport } else { nil } }
    }

    /// The connections that get CALL.
    var rung: [ConnectionID] {
        calls.compactMap { if case .ring(let connection, _) = $0 { connection } else { nil } }
    }

    /// The connections that get CALL_CANCELLED, and the reasons they are given.
    var told: [ConnectionID] {
        calls.compactMap { if case .tellEnded(let connection, _, _) = $0 { connection } else { nil } }
    }

    var reasonsTold: [String] {
        calls.compactMap { if case .tellEnded(_, _, let reason) = $0 { reason } else { nil } }
    }

    var ringEnds: [CallRing.End] {
        calls.compactMap { if case .saveRing(_, let ring) = $0 { ring.end } else { nil } }
    }

    var counts: [Int] {
        calls.compactMap { if case .saveCount(_, let count) = $0 { count.used } else { nil } }
    }
}
