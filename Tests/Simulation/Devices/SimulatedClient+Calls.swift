import Domain
import Engine

/// What a device rings for, and what it said of it.
struct Ringing {
    private(set) var calls: Set<CallID> = []
    /// Those it knows to be over: a push of them that comes late rings for a moment at most.
    private var over: Set<CallID> = []
    /// CALL_APPLIED or CALL_ANSWERED, and when first.
    var saidAt: [CallID: Int64] = [:]

    mutating func begin(_ call: CallID) { if !over.contains(call) { calls.insert(call) } }

    mutating func end(_ call: CallID) {
        calls.remove(call)
        over.insert(call)
    }
}

/// Calls, as an app has them: it rings for a frame or a push, says so, and at times its user answers.
extension SimulatedClient {
    /// A push has reached the device.
    func arrive(_ push: Push) {
        switch push.draft.content {
        case .call(let call): ring(call.callID, until: call.expiresAt)
        case .callCancelled(let end): stopRinging(end.callID)
        case .alert, .wake, .cover, .badge: screen.arrive(push)
        }
    }

    func rang(_ call: Call, on link: SimulatedLink) {
        ring(call.id, until: call.expiresAt)
        let isHeard = world.clockwork.generator.chance(60)
        if isHeard { say(.applied, of: call.id, within: 1_500, on: link) }
        if world.clockwork.generator.chance(20) { say(.answered, of: call.id, within: 4_000, on: link) }
    }

    /// By itself it rings no longer than the call lasts.
    private func ring(_ call: CallID, until end: WallTime) {
        ringing.begin(call)
        world.clockwork.schedule(after: max(0, end - world.clockwork.wall), epoch: nil) { [self] in
            stopRinging(call)
        }
    }

    private enum Word { case applied, answered }

    private func say(_ word: Word, of call: CallID, within wait: Int64, on link: SimulatedLink) {
        world.clockwork.schedule(after: world.clockwork.generator.upTo(wait), epoch: nil) { [self] in
            guard has(link), !link.isStuck, ringing.calls.contains(call) else { return }
            if ringing.saidAt[call] == nil { ringing.saidAt[call] = world.clockwork.now }
            note("\(word == .applied ? "rings for" : "answers") \(call)")
            switch word {
            case .applied: link.handle?.callApplied(call)
            case .answered:
                stopRinging(call)
                link.handle?.callAnswered(call)
            }
        }
    }

    func stopRinging(_ call: CallID) { ringing.end(call) }

    /// It came back: what it still rings for may be over.
    func askOfCalls(on link: SimulatedLink) {
        for call in ringing.calls.sorted(by: { $0.text < $1.text }) {
            world.engine.call(user, call, as: caller) { [self] result in
                switch result {
                case .success(let status) where status.state == .ringing: break
                case .success, .failure(.noSuchCall): stopRinging(call)
                case .failure:
                    world.clockwork.schedule(after: 4_000, epoch: nil) { [self] in
                        if has(link) { askOfCalls(on: link) }
                    }
                }
            }
        }
    }
}
