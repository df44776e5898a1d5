/// What does not hold, gathered by kind: how often, and the first examples.
struct Findings: Equatable, Sendable {
    private static let examples = 3

    private struct Kind: Equatable, Sendable {
        var count = 0
        var examples: [String] = []
    }

    private var kinds: [String: Kind] = [:]
    private var order: [String] = []

    var isEmpty: Bool { order.isEmpty }

    /// - Parameters:
    ///   - kind: the claim that is broken, as a clause.
    ///   - example: where, with ids.
    mutating func add(_ kind: String, _ example: @autoclosure () -> String) {
        if kinds[kind] == nil { order.append(kind) }
        kinds[kind, default: Kind()].count += 1
        if kinds[kind, default: Kind()].examples.count < Self.examples {
            kinds[kind, default: Kind()].examples.append(example())
        }
    }

    /// A claim about the run as a whole.
    mutating func expect(_ what: String, _ actual: Int, equals expected: Int) {
        if actual != expected { add(what, "\(actual) instead of \(expected)") }
    }

    mutating func add(_ others: Findings) {
        for kind in others.order {
            guard let more = others.kinds[kind] else { continue }
            if kinds[kind] == nil { order.append(kind) }
            kinds[kind, default: Kind()].count += more.count
            let room = Self.examples - kinds[kind, default: Kind()].examples.count
            kinds[kind, default: Kind()].examples += more.examples.prefix(max(0, room))
        }
    }

    /// One sentence for each kind.
    var sentences: [String] {
        order.compactMap { name in
            guard let kind = kinds[name] else { return nil }
            let examples = kind.examples.joined(separator: "; ")
            if kind.count == 1 { return "\(name): \(examples)" }
            return "\(name), \(kind.count) times: \(examples)\(kind.count > Self.examples ? "; …" : "")"
        }
    }
}
