import Domain
import Synchronization

/// The calls being made now: two requests with one id share one row and one key, in whatever shards they
/// meet; and what cancels a call waits until it is made.
final class CallsInFlight: Sendable {
    private struct Making {
        let call: Call
        var requests: Int
        var waiting: [@Sendable () -> Void] = []
    }

    private struct State {
        var keys = KeyAllocator(epoch: 1, lane: KeyAllocator.sharedLane)
        var making: [CallName: Making] = [:]
    }

    private let state = Mutex(State())

    func begin(epoch: Int64) {
        state.withLock { $0.keys = KeyAllocator(epoch: epoch, lane: KeyAllocator.sharedLane) }
    }

    /// What its parts carry: the call under way, if there is one; nil: that is another caller's.
    func begin(_ incoming: IncomingCall, _ name: CallName, now: WallTime) -> Call? {
        state.withLock { state in
            if let known = state.making[name] {
                guard known.call.caller.user == incoming.caller.user else { return nil }
                state.making[name]?.requests += 1
                return known.call
            }
            let call = Call(incoming, key: state.keys.allot(), now: now)
            state.making[name] = Making(call: call, requests: 1)
            return call
        }
    }

    func end(_ name: CallName) {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            guard let known = state.making[name] else { return [] }
            guard known.requests == 1 else {
                state.making[name]?.requests -= 1
                return []
            }
            state.making[name] = nil
            return known.waiting
        }
        for next in waiting { next() }
    }

    /// Runs it now, or once no request makes this call any more.
    func whenMade(_ name: CallName, _ next: @escaping @Sendable () -> Void) {
        let isMade = state.withLock { state in
            guard state.making[name] != nil else { return true }
            state.making[name]?.waiting.append(next)
            return false
        }
        if isMade { next() }
    }
}

extension Call {
    fileprivate convenience init(_ incoming: IncomingCall, key: CallKey, now: WallTime) {
        self.init(
            key: key, id: incoming.id, caller: incoming.caller, isVideo: incoming.isVideo,
            conversation: incoming.conversation, data: incoming.data, startedAt: now,
            expiresAt: now + incoming.ttlSeconds * 1_000)
    }
}
