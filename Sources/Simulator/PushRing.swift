/// The newest pushes, in a ring of fixed size.
struct PushRing {
    private let capacity: Int
    private var pushes: [SimulatedPush] = []
    private var total = 0

    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// Numbers the push and keeps it, instead of the oldest once the ring is full.
    mutating func append(_ push: SimulatedPush) -> SimulatedPush {
        var push = push
        total += 1
        push.sequence = total
        if pushes.count < capacity {
            pushes.append(push)
        } else {
            pushes[(total - 1) % capacity] = push
        }
        return push
    }

    /// The newest that match, oldest first.
    func newest(_ limit: Int, token: String?, after sequence: Int) -> [SimulatedPush] {
        var found: [SimulatedPush] = []
        for back in 0..<pushes.count {
            let push = pushes[(total - 1 - back) % capacity]
            guard found.count < limit, push.sequence > sequence else { break }
            if token == nil || push.token == token { found.append(push) }
        }
        return found.reversed()
    }
}

/// Counts since the start or the last reset.
package struct SimulatorStatistics: Equatable, Sendable {
    package internal(set) var received = 0
    package internal(set) var accepted = 0
    /// By provider and answer, for example `apns 410 Unregistered`.
    package internal(set) var answers: [String: Int] = [:]
    /// Connections ever accepted.
    package internal(set) var connections = 0
    /// Distinct provider tokens seen and access tokens given.
    package internal(set) var providerTokens = 0
    package internal(set) var accessTokens = 0

    mutating func count(_ push: SimulatedPush) {
        received += 1
        if push.status == 200 {
            accepted += 1
        } else {
            let reason = push.reason.isEmpty ? "" : " \(push.reason)"
            answers["\(push.provider.rawValue) \(push.status)\(reason)", default: 0] += 1
        }
    }
}
