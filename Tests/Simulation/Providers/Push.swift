import Domain

@testable import Engine

/// One request as the world sees it: whom it is for, what duties it stands for, and when it left.
final class Push {
    let request: PushRequest
    let user: UserKey
    let device: DeviceKey
    let tasks: [Database.TaskID]
    /// What it makes the device ring for; nil: it does not.
    let ring: CallTable.RingID?
    /// What it tells the device to ring no more for; nil: it does not.
    let farewell: CallTable.RingID?
    let leftAt: Int64
    /// The process that sent it; the next one hears nothing of it.
    let epoch: Int

    var draft: PushDraft { request.draft }

    var isOfCall: Bool { draft.callID != nil }

    init(_ request: PushRequest, in world: World) {
        self.request = request
        leftAt = world.clockwork.now
        epoch = world.clockwork.epoch
        let name = UserName(tenant: World.tenant, user: request.user)
        let flight = world.engine.shard(of: name).flights[request.id.number]
        let user = world.database.keys[name] ?? UserKey(0)
        let device = flight?.device ?? DeviceKey(0)
        self.user = user
        self.device = device
        tasks = (flight?.seqs ?? []).map { Database.TaskID(user: user, device: device, seq: $0) }
        let call = flight?.call.flatMap {
            world.database.calls.calls[CallName(tenant: World.tenant, call: $0)]
        }
        let named = call.map {
            CallTable.RingID(leg: CallTable.LegID(user: user, call: $0.key), device: device)
        }
        let isEnd = request.draft.kind == .callCancelled
        ring = isEnd ? nil : named
        farewell = isEnd ? named : nil
    }
}

extension Push: CustomStringConvertible {
    var description: String {
        if let call = draft.callID {
            "a push to \(request.user)'s \(draft.device) for \(ring == nil ? "the end of " : "")\(call)"
        } else {
            "a push to \(request.user)'s \(draft.device) for \(tasks.map(\.seq)), "
                + "badge \(draft.badge) at \(draft.badgeRevision)"
        }
    }
}
