import Domain

@testable import Engine

/// The deadlines of calls, and that a ring is pushed once.
final class CallsRingInTime: Invariant {
    let sentence = "a device that is away rings at once and once, one that is there after call_grace"
    unowned let world: World
    private var madeAt: [CallTable.RingID: Int64] = [:]
    private var leftAt: [CallTable.RingID: Int64] = [:]
    private var accepted: [CallTable.RingID: Int] = [:]

    init(_ world: World) { self.world = world }

    func committed(_ transaction: Transaction) {
        for row in transaction.changes.calls.rings where madeAt[row.id] == nil {
            madeAt[row.id] = world.clockwork.now
        }
    }

    func left(_ push: Push) {
        guard let ring = push.ring, leftAt[ring] == nil else { return }
        leftAt[ring] = push.leftAt
        guard let client = world.client(ring.device), world.isWhole else { return }
        if let said = client.ringing.saidAt[push.callID] {
            hold(push.leftAt <= said + 50, "\(push) leaves, and the device said that it rings")
        }
        guard let welcomed = client.presence.welcomedAt, let made = madeAt[ring], welcomed < made - 50
        else { return }
        let grace = world.tenant.policy.callGrace
        hold(push.leftAt >= made + grace - 50, "\(push) leaves \(push.leftAt - made) ms after the call came")
    }

    func answered(_ push: Push, _ verdict: PushVerdict) {
        guard let ring = push.ring, verdict == .accepted else { return }
        accepted[ring, default: 0] += 1
        hold(
            accepted[ring, default: 0] <= 1 + world.crashedAt.count,
            "\(push) was accepted \(accepted[ring, default: 0]) times")
    }

    func settled() {
        guard world.setting.faults.channelFaults == 0, !world.haltedChannels else { return }
        for (ring, left) in leftAt {
            guard let client = world.client(ring.device), let made = madeAt[ring],
                let due = client.presence.ringDeadline(
                    madeAt: made, grace: world.tenant.policy.callGrace, crashes: world.crashedAt)
            else { continue }
            hold(
                left >= due - 100 && left <= due + 1_000,
                "\(client.name) was rung \(left - due) ms after it was due")
        }
    }
}

/// What the backend was promised: each callee has the call, each of his devices a ring.
final class CallsRingAll: Invariant {
    let sentence = "a call that was taken rings every device of every callee, or has a reason for each"
    unowned let world: World

    init(_ world: World) { self.world = world }

    func callAnswered(_ incoming: IncomingCall) {
        let name = CallName(tenant: World.tenant, call: incoming.id)
        let calls = world.database.calls
        guard let call = calls.calls[name] else { return hold(false, "\(incoming.id) is nowhere") }
        for callee in incoming.callees {
            let key = world.database.keys[UserName(tenant: World.tenant, user: callee)] ?? UserKey(0)
            let leg = CallTable.LegID(user: key, call: call.key)
            hold(calls.legs[leg] != nil, "\(callee) has not got \(incoming.id)")
            // Whether a device was there before is told by times of one clock.
            guard calls.legs[leg]?.state == .ringing, world.setting.faults.wallJumps == 0 else { continue }
            for device in devices(of: key, before: call.startedAt) {
                let ring = CallTable.RingID(leg: leg, device: device)
                hold(calls.rings[ring] != nil, "\(incoming.id) rings not at \(callee)'s device \(device)")
            }
        }
    }

    /// Those that were there when the call came for the first time, and are signed in.
    private func devices(of user: UserKey, before time: WallTime) -> [DeviceKey] {
        world.database.devices.values.filter {
            $0.row.user == user && !$0.tokens.isEmpty
                && $0.tokens.values.allSatisfy { $0.digest.registeredAt < time }
        }.map(\.row.key)
    }
}

/// Cancelled, answered or expired: nothing rings for it any more, and nothing stays open.
final class CallsEnd: Invariant {
    let sentence = "a call that is over rings nowhere, and every ring ends with an outcome"
    unowned let world: World

    init(_ world: World) { self.world = world }

    func left(_ push: Push) {
        guard let ring = push.ring else { return }
        let state = world.database.calls.legs[ring.leg]?.state
        hold(state == .ringing, "\(push) leaves, and the call is \(state?.word ?? "not there")")
    }

    /// What was ended in the very batch that tells of it is told to be over in the same breath.
    func rang(_ client: SimulatedClient, _ call: Call) {
        let user = world.database.keys[client.user] ?? UserKey(0)
        let leg = CallTable.LegID(user: user, call: call.key)
        hold(world.database.calls.legs[leg] != nil, "\(client.name) rings for \(call.id), which is nowhere")
        guard world.database.calls.legs[leg]?.state != .ringing else { return }
        world.clockwork.schedule(after: 0, epoch: nil) { [self] in
            hold(
                !client.ringing.calls.contains(call.id),
                "\(client.name) rings for \(call.id), which was over before")
        }
    }

    func cancelAnswered(_ call: CallName) {
        guard let key = world.database.calls.calls[call]?.key else { return }
        for (leg, row) in world.database.calls.legs where leg.call == key {
            hold(row.state != .ringing, "\(call.call) is cancelled, and rings")
        }
    }

    func settled() {
        let calls = world.database.calls
        hold(calls.usersRinging.isEmpty, "a call rings for ever")
        let open = calls.rings.values.filter { $0.end == nil }
        hold(open.isEmpty, "\(open.count) rings have no end")
    }

    func committed(_ transaction: Transaction) {
        for row in transaction.changes.calls.legs where row.state != .ringing {
            expectSilence(of: row.call, at: row.user)
        }
    }

    /// Who is there all the time hears of the end, though the database be away for a while.
    private func expectSilence(of call: CallKey, at user: UserKey) {
        world.clockwork.schedule(after: Self.patience, epoch: nil) { [self] in
            guard world.violation == nil else { return }
            let since = world.clockwork.now - Self.patience
            guard !world.isDatabaseAway, world.databaseAwayAt <= since else {
                return expectSilence(of: call, at: user)
            }
            guard let id = world.database.calls.calls.values.first(where: { $0.key == call })?.id else {
                return
            }
            for client in world.clients where world.database.keys[client.user] == user {
                guard let link = client.link, !link.isStuck, let welcomed = client.presence.welcomedAt,
                    welcomed <= since
                else { continue }
                hold(!client.ringing.calls.contains(id), "\(client.name) still rings for \(id)")
            }
        }
    }

    private static let patience: Int64 = 10_000
}

final class CallsKeepTheirQuota: Invariant {
    let sentence = "a VoIP push has taken one of the device's quota of its UTC day before it leaves"
    unowned let world: World
    private var pushed: Set<CallTable.RingID> = []

    init(_ world: World) { self.world = world }

    func left(_ push: Push) {
        guard let ring = push.ring, push.draft.token.transport == .apnsVoIP else { return }
        pushed.insert(ring)
        let rings = world.database.calls.rings
        let day = rings[ring]?.chargedDay
        let used = pushed.count { $0.device == ring.device && rings[$0]?.chargedDay == day }
        let quota = world.setting.policy.rtcVoIPPushDailyQuota
        hold(day != nil, "\(push) leaves, and nothing was taken for it")
        hold(used <= quota, "\(push) is VoIP push number \(used) of the day")
    }
}

extension RingRow {
    var id: CallTable.RingID {
        CallTable.RingID(leg: CallTable.LegID(user: user, call: call), device: device)
    }
}

extension Push {
    var callID: CallID { draft.callID ?? CallID("") }
}

extension World {
    /// Whether no process died and no commit fails: what a device said is known then.
    var isWhole: Bool { crashedAt.isEmpty && setting.faults.databaseFails == 0 }
}
