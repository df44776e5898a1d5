package import Domain
import Synchronization

/// A validated call on its way in.
package struct IncomingCall: Sendable {
    package var id: CallID
    package var caller: Call.Caller
    /// Without duplicates, at least one.
    package var callees: [UserID]
    package var isVideo: Bool
    package var conversation: ConversationID?
    package var data: [UInt8]
    package var ttlSeconds: Int64

    package init(
        id: CallID, caller: Call.Caller, callees: [UserID], isVideo: Bool = false,
        conversation: ConversationID? = nil, data: [UInt8] = [],
        ttlSeconds: Int64 = Call.defaultTTLSeconds
    ) {
        self.id = id
        self.caller = caller
        self.callees = callees
        self.isVideo = isVideo
        self.conversation = conversation
        self.data = data
        self.ttlSeconds = ttlSeconds
    }
}

package enum RingResult: Equatable, Sendable {
    /// Committed. `isDuplicate`: nothing was new; `devices`: how many are rung or will be.
    case accepted(isDuplicate: Bool, devices: Int)
    case refused(Refusal)
}

/// A call for some of its callees, all of one shard.
struct RingPart: Sendable {
    let gathering: RingGathering
    let tenant: TenantKey
    let call: Call
    let callees: [UserID]
}

/// Gathers the answers of the shards to one call; replies once, when the last has come.
final class RingGathering: Sendable {
    private struct State {
        var parts: Int
        var new = 0
        var devices = 0
        var refusal: Refusal?
    }

    private let state: Mutex<State>
    private let reply: @Sendable (RingResult) -> Void

    init(parts: Int, _ reply: @escaping @Sendable (RingResult) -> Void) {
        state = Mutex(State(parts: parts))
        self.reply = reply
    }

    /// One part is settled.
    func settle(new: Int, devices: Int, refusal: Refusal? = nil) {
        let result = state.withLock { state -> RingResult? in
            state.new += new
            state.devices += devices
            if let refusal { state.refusal = refusal }
            state.parts -= 1
            guard state.parts == 0 else { return nil }
            if let refusal = state.refusal { return .refused(refusal) }
            return .accepted(isDuplicate: state.new == 0, devices: state.devices)
        }
        if let result { reply(result) }
    }
}

/// What is known of a call by one of its callees.
package struct CallStatus: Sendable {
    package let call: Call
    package let state: CallLeg.State
}
