import Testing

@testable import Domain

/// Random schedules of calls at one user with three devices: connections, evidence, tokens, verdicts and
/// crashes. A seed that fails is named, and replays alone.
@Suite struct CallScheduleTests {
    @Test(arguments: 0..<4) func `each ring ends once, for its reason, and the quota holds`(slice: UInt64) {
        for seed in UInt64(0)..<1_000 where seed % 4 == slice {
            var world = CallWorld(seed: seed)
            for _ in 0..<60 { world.step() }
            world.settle()
            #expect(world.violations == [], "seed \(seed)")
            if !world.violations.isEmpty { return }
        }
    }

    @Test func `the schedules reach every end`() {
        var ends: Set<String> = []
        for seed in UInt64(0)..<400 {
            var world = CallWorld(seed: seed)
            for _ in 0..<60 { world.step() }
            world.settle()
            ends.formUnion(world.ends)
        }
        let reached = [
            "notified", "applied", "suppressed no_call_token", "dropped quota_exceeded", "dropped expired",
            "dropped token_dead", "dropped rejected", "dropped attempts_exhausted", "dropped device_removed",
            "cancelled answered_elsewhere", "cancelled call_cancelled",
        ]
        #expect(ends == Set(reached))
    }
}

/// The user, what is stored of its calls, and the provider's side.
private struct CallWorld {
    private struct RingID: Hashable {
        let call: CallID
        let device: DeviceKey
    }

    private struct Flight {
        let device: DeviceID
        let request: UInt64
    }

    private var stage: Stage
    private var random: UInt64
    private var nextCall = 0
    private var nextRequest: UInt64 = 0
    private var nextConnection: UInt64 = 0
    private var legs: [CallID: CallLeg] = [:]
    private var rings: [RingID: CallRing] = [:]
    private var counts: [DeviceKey: VoIPCount] = [:]
    private var flights: [Flight] = []
    /// Calls that were handed over for a VoIP token, by device.
    private var rungByVoIP: [DeviceKey: Set<CallID>] = [:]
    private(set) var violations: [String] = []
    private static let quota = 4
    private static let devices: [DeviceID] = [.phone, .tablet, .desk]

    init(seed: UInt64) {
        random = seed &* 0x9e37_79b9_7f4a_7c15 &+ 1
        stage = Stage {
            $0.rtcVoIPPushDailyQuota = CallWorld.quota
            $0.pushRetryMaxAttempts = 2
        }
        for device in Self.devices { register(device) }
    }

    var ends: Set<String> {
        Set(
            rings.values.compactMap(\.end).map { end in
                end.reason == .none ? end.outcome.word : "\(end.outcome.word) \(end.reason.word)"
            })
    }

    private mutating func pick(_ count: Int) -> Int {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((random >> 33) % UInt64(count))
    }

    private mutating func check(_ holds: Bool, _ what: String) { if !holds { violations.append(what) } }

    // MARK: What happens

    mutating func step() {
        let device = Self.devices[pick(3)]
        switch pick(20) {
        case 0..<4: ring()
        case 4..<8: build(device)
        case 8..<11: if !flights.isEmpty { answer(flights.remove(at: pick(flights.count))) }
        case 11, 12: connect(device)
        case 13: disconnect(device)
        case 14: take(stage.user.callApplied(device, anyCall(), at: stage.moment))
        case 15: answerByHand(device)
        case 16: take(stage.user.callCancelled(anyCall(), reason: "hung_up", at: stage.moment))
        case 17: register(device)
        case 18: pick(3) == 0 ? signOut(device) : crash()
        default: pass([0, 1, 400, 1_000, 3_000, 12_000, 31_000][pick(7)])
        }
        if pick(2) == 0 { pass(Int64(pick(700))) }
    }

    private mutating func anyCall() -> CallID { CallID("k-\(max(0, nextCall - pick(4)))") }

    private mutating func ring() {
        nextCall += 1
        take(stage.call("k-\(nextCall)", ttlSeconds: Int64([2, 30, 30][pick(3)])))
    }

    private mutating func pass(_ milliseconds: Int64) { take(stage.pass(milliseconds)) }

    private mutating func register(_ device: DeviceID) {
        let choices: [[Transport]] = [
            [.apnsVoIP], [.apns, .apnsVoIP], [.apnsVoIP, .fcm], [.fcm], [.apns], [.apnsVoIP],
        ]
        take(stage.register(device, choices[pick(choices.count)]))
    }

    private mutating func connect(_ device: DeviceID) {
        nextConnection += 1
        take(stage.connect(device, nextConnection, after: stage.user.head))
    }

    private mutating func disconnect(_ device: DeviceID) {
        guard let connection = stage.user.device(device)?.presence?.connection else { return }
        take(stage.user.closed(connection, pick(4) == 0 ? .drained : .gone, at: stage.moment))
    }

    private mutating func answerByHand(_ device: DeviceID) {
        guard let connection = stage.user.device(device)?.presence?.connection else { return }
        take(stage.user.callAnswered(device, connection, anyCall(), at: stage.moment) ?? [])
    }

    private mutating func signOut(_ device: DeviceID) {
        take(stage.user.signedOut(device, .byDevice, at: stage.moment, keys: &stage.keys))
    }

    private mutating func build(_ device: DeviceID) {
        nextRequest += 1
        let key = stage.key(device)
        let (draft, actions) = stage.user.buildCall(key, request: nextRequest, at: stage.moment)
        take(actions)
        guard let draft else { return }
        flights.append(Flight(device: device, request: nextRequest))
        if case .callCancelled(let end) = draft.content { return checkEnd(end, draft, device) }
        guard case .call(let call) = draft.content else { return check(false, "no call was built") }
        check(draft.expiresAt > stage.moment.wall, "\(call.callID) is built past its end")
        check(legs[call.callID]?.isRinging == true, "\(call.callID) is built and rings no more")
        check(draft.token.transport == .apnsVoIP || draft.token.transport == .fcm, "a call over an alert")
        guard draft.token.transport == .apnsVoIP else { return }
        rungByVoIP[key, default: []].insert(call.callID)
        // One day: no schedule is longer.
        check(rungByVoIP[key]?.count ?? 0 <= Self.quota, "\(device) is rung beyond its quota")
    }

    private mutating func checkEnd(_ end: CallEndDraft, _ draft: PushDraft, _ device: DeviceID) {
        let state = legs[end.callID]?.state
        check(state?.reason == end.reason, "\(end.callID) is told to have ended otherwise")
        check(state != .ringing && state != .expired, "\(end.callID) is told to end")
        check(state != .answered(by: device), "\(device) is told that somebody answered")
        check(draft.token.transport == .fcm, "an end over \(draft.token.transport.word)")
        let ring = rings[RingID(call: end.callID, device: stage.key(device))]
        check(ring?.isOver == true, "\(device) is told of an end while its ring is open")
    }

    private mutating func answer(_ flight: Flight) {
        let verdicts: [PushVerdict] = [
            .accepted, .accepted, .channelFault, .rejected, .tokenDead(since: nil),
            .retry(afterMilliseconds: nil),
        ]
        take(stage.answerCall(flight.device, flight.request, verdicts[pick(verdicts.count)]))
    }

    /// The process dies; the next one has the rows, and no connection.
    private mutating func crash() {
        flights = []
        let before = stage.user
        var devices = before.devices
        for index in devices.indices { devices[index].presence = nil }
        stage.user = User(
            key: before.key, id: before.id, mailboxID: before.mailboxID, head: before.head,
            devices: devices, policy: before.sharedPolicy)
        stage.user.recoveredCounts(counts)
        let ringing = legs.values.filter(\.isRinging).sorted { $0.call.key < $1.call.key }
        let stored = ringing.map { leg in
            User.RecoveredLeg(
                call: leg.call,
                rings: rings.filter { $0.key.call == leg.call.id }.map { recovered($0.value) }.sorted {
                    $0.device < $1.device
                })
        }
        take(stage.user.recoveredCalls(stored, at: stage.moment))
    }

    private func recovered(_ ring: CallRing) -> User.RecoveredRing {
        let state: User.RecoveredRing.State =
            switch (ring.knownEnd, ring.state) {
            case (let end?, _): .over(end)
            case (nil, .retrying(let at)): .retrying(at: at)
            default: .due
            }
        return User.RecoveredRing(
            device: ring.device, attempts: ring.attempts, chargedDay: ring.chargedDay, state: state)
    }

    /// All requests are answered and time enough passes.
    mutating func settle() {
        for _ in 0..<4 {
            while !flights.isEmpty { answer(flights.removeLast()) }
            for device in Self.devices { build(device) }
            pass(31_000)
        }
        while !flights.isEmpty { answer(flights.removeLast()) }
        pass(31_000)
        check(stage.user.calls.legs.isEmpty, "legs are left: \(stage.user.calls.legs)")
        check(stage.user.calls.nextDeadline == nil, "a deadline is left")
        for leg in legs.values { check(!leg.isRinging, "\(leg.call.id) rings for ever") }
        for (id, ring) in rings { check(ring.knownEnd != nil, "\(id.call) never ended at \(id.device)") }
    }

    /// What the transaction of the batch writes.
    private mutating func take(_ actions: [UserAction]) {
        for case .call(let action) in actions {
            switch action {
            case .saveLeg(let leg):
                check(legs[leg.call.id]?.isRinging ?? true, "\(leg.call.id) ends twice")
                legs[leg.call.id] = leg
            case .saveRing(let call, let ring):
                let id = RingID(call: call.id, device: ring.device)
                check(rings[id]?.isOver != true, "\(call.id) ends twice at \(ring.device)")
                if let known = rings[id]?.knownEnd, let end = ring.knownEnd {
                    check(end == known || end.outcome == .notified, "\(call.id) ends otherwise")
                }
                rings[id] = ring
            case .noteRing(let call, let ring):
                let known = rings[RingID(call: call.id, device: ring.device)]
                check(known?.end != nil && known?.end == ring.end, "\(call.id) ends otherwise, by a note")
            case .saveCount(let device, let count):
                check(count.used <= Self.quota, "the count passes the quota")
                counts[device] = count
            case .ring(let connection, let call):
                check(legs[call.id]?.isRinging == true, "\(call.id) is told to \(connection) and is over")
            case .tellEnded(_, let id, _): check(legs[id]?.isRinging == false, "\(id) is told to end")
            case .queue(_, let token): check(token.transport.carries(.call), "queued for an alert token")
            }
        }
    }
}
