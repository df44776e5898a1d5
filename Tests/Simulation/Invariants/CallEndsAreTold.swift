import Domain

@testable import Engine

/// A call that a push alone makes a device ring for.
final class CallEndsAreTold: Invariant {
    let sentence = "a device that FCM made ring, and that is away, is told by FCM when the call is over early"
    unowned let world: World
    private var told: Set<CallTable.RingID> = []
    private var rungByFCM: Set<CallTable.RingID> = []

    init(_ world: World) { self.world = world }

    func left(_ push: Push) {
        if let ring = push.ring, push.draft.token.transport == .fcm { rungByFCM.insert(ring) }
        guard let ring = push.farewell else { return }
        told.insert(ring)
        let state = world.database.calls.legs[ring.leg]?.state
        switch state {
        case .answered(let device):
            hold(world.client(ring.device)?.device != device, "\(push) goes to the device that answered")
        case .cancelled: break
        case .ringing, .expired, nil:
            hold(false, "\(push) leaves, and the call is \(state?.word ?? "nowhere")")
        }
        let isRung = world.database.calls.rings[ring] != nil
        hold(isRung, "\(push) leaves, and the device was not rung")
    }

    func committed(_ transaction: Transaction) {
        for row in transaction.changes.calls.legs {
            switch row.state {
            case .answered, .cancelled: expectSilence(of: row.call, at: row.user)
            case .ringing, .expired: break
            }
        }
    }

    /// Where nothing fails and the process goes on: what it owes is not kept for the next one.
    private func expectSilence(of call: CallKey, at user: UserKey) {
        let faults = world.setting.faults
        guard faults.channelFaults == 0, faults.databaseFails == 0, faults.wallJumps == 0,
            world.crashedAt.isEmpty
        else { return }
        let began = world.clockwork.now
        let process = world.clockwork.epoch
        let atTheEnd = Set(world.database.devices.keys.filter { isHeardByFCM($0) })
        world.clockwork.schedule(after: Self.patience, epoch: nil) { [self] in
            guard world.violation == nil, world.clockwork.epoch == process, !world.isDatabaseAway,
                world.databaseAwayAt <= began, !world.haltedChannels
            else { return }
            guard let id = world.database.calls.calls.values.first(where: { $0.key == call })?.id else {
                return
            }
            let leg = CallTable.LegID(user: user, call: call)
            for (ring, row) in world.database.calls.rings where ring.leg == leg {
                // What rang by other means, or is reached by others since, FCM does not tell.
                guard row.end?.outcome == .notified, rungByFCM.contains(ring), atTheEnd.contains(ring.device),
                    isHeardByFCM(ring.device), let client = world.client(ring.device), client.link == nil
                else { continue }
                hold(!client.ringing.calls.contains(id), "\(client.name) still rings for \(id)")
            }
        }
    }

    private func isHeardByFCM(_ device: DeviceKey) -> Bool {
        let tokens = world.database.devices[device]?.tokens.values.map(\.digest.transport) ?? []
        return tokens.contains(.fcm) && !tokens.contains(.apnsVoIP)
    }

    private static let patience: Int64 = 3_000
}
