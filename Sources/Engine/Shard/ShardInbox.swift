import Synchronization

/// The one queue into a shard: any thread appends arrays, the shard takes batches; woken once.
final class ShardInbox: Sendable {
    /// Beyond so much weight, callers are told to come back (429); evidence is always taken, since it is
    /// bounded by connections and requests in flight.
    static let limit = 20_000

    private struct State {
        var events: [ShardEvent] = []
        var weight = 0
        var isAwake = false

        /// The next ones find the room that these took.
        mutating func takeAll() -> [ShardEvent] {
            let all = events
            events = []
            events.reserveCapacity(min(all.count, ShardInbox.keptRoom))
            return all
        }
    }

    private static let keptRoom = 64

    private let state = Mutex(State())

    /// Whether a caller's events of this weight still fit.
    func hasRoom(for weight: Int) -> Bool {
        state.withLock { $0.weight == 0 || $0.weight + weight <= Self.limit }
    }

    /// True: the shard sleeps and has to be woken.
    func append(_ events: [ShardEvent]) -> Bool {
        let weight = events.reduce(0) { $0 + $1.weight }
        return append(weight) { $0.append(contentsOf: events) }
    }

    /// As of an array of one.
    func append(_ event: ShardEvent) -> Bool {
        append(event.weight) { $0.append(event) }
    }

    private func append(_ weight: Int, _ add: (inout [ShardEvent]) -> Void) -> Bool {
        state.withLock { state in
            add(&state.events)
            state.weight += weight
            defer { state.isAwake = true }
            return !state.isAwake
        }
    }

    /// The oldest events up to a weight, at least one; empty: the shard may sleep until it is woken.
    func take(weight limit: Int) -> [ShardEvent] {
        state.withLock { state in
            if state.events.isEmpty {
                state.isAwake = false
                return []
            }
            var count = 0
            var weight = 0
            while count < state.events.count {
                let next = state.events[count].weight
                if count > 0, weight + next > limit { break }
                weight += next
                count += 1
            }
            state.weight -= weight
            if count == state.events.count { return state.takeAll() }
            defer { state.events.removeFirst(count) }
            return Array(state.events[..<count])
        }
    }

    /// Puts back, in front, what must not be lost.
    func restore(_ events: [ShardEvent]) {
        let weight = events.reduce(0) { $0 + $1.weight }
        state.withLock { state in
            state.events.insert(contentsOf: events, at: 0)
            state.weight += weight
        }
    }

    /// Takes out what a caller can repeat. `sleeping`: the shard is woken again by the next event.
    func takeRepeatable(sleeping: Bool) -> [ShardEvent] {
        state.withLock { state in
            if sleeping { state.isAwake = false }
            let repeatable = state.events.filter(\.isRepeatable)
            guard !repeatable.isEmpty else { return [] }
            state.events.removeAll(where: \.isRepeatable)
            state.weight = state.events.reduce(0) { $0 + $1.weight }
            return repeatable
        }
    }

    var depth: Int { state.withLock { $0.events.count } }
}
