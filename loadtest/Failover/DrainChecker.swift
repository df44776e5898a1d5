/// What was seen when the owner was told to end (SIGTERM).
struct DrainEvidence: Equatable, Sendable {
    /// A message that waited for a silent phone's evidence when the signal came.
    struct Held: Equatable, Sendable {
        let message: String
        /// When it was acknowledged to the sender.
        let acknowledgedAt: Int64
        /// When the phone received it first; nil: it had not when the signal came.
        var writtenAt: Int64?
        /// When the provider got it first; nil: never.
        var pushedAt: Int64?
    }

    /// Milliseconds since 1970.
    let signalledAt: Int64
    var connected: Set<Int> = []
    /// How each device's connection ended.
    var codes: [Int: UInt16] = [:]
    /// Nil: it did not end.
    var exitCode: Int32?
    /// Requests beyond the first for a message and device, before the signal and at the end.
    var repeatsBefore = 0
    var repeatsAfter = 0
    var held: [Held] = []

    init(signalledAt: Int64) { self.signalledAt = signalledAt }

    /// From the phone's receipt to the push, the shortest and the longest.
    var waits: ClosedRange<Int64>? {
        let waits = held.compactMap { held in
            held.writtenAt.flatMap { writtenAt in held.pushedAt.map { $0 - writtenAt } }
        }
        guard let first = waits.min(), let last = waits.max() else { return nil }
        return first...last
    }
}

/// A planned end says goodbye, repeats nothing and rings nobody early.
enum DrainChecker {
    static let goingAway: UInt16 = 1_001
    /// From the phone's receipt to the push: the window, less what a busy machine takes to receive.
    static let earliest: Int64 = 15_000
    /// The window, and what a take-over and a request add.
    static let latest: Int64 = 19_000
    /// From the acknowledgement to the push of what was not written: the grace, less what lies before it; or
    /// the window, from the write of the successor.
    static let earliestUnwritten: Int64 = 2_000
    static let latestUnwritten: Int64 = 23_000

    static func violations(of seen: DrainEvidence) -> [String] {
        var found = ended(seen) + held(seen)
        if seen.repeatsAfter > seen.repeatsBefore {
            found.append("\(seen.repeatsAfter - seen.repeatsBefore) requests were repeated")
        }
        return found.map { "the planned end: \($0)" }
    }

    private static func ended(_ seen: DrainEvidence) -> [String] {
        var found: [String] = []
        switch seen.exitCode {
        case nil: found.append("the process did not end")
        case 0: break
        case let code?: found.append("the process ended with \(code)")
        }
        let others = seen.connected.filter { seen.codes[$0] != goingAway }
        if let one = others.min() {
            let code = seen.codes[one].map { "\($0)" } ?? "nothing"
            found.append("\(others.count) devices were not told 1001: device \(one) was told \(code)")
        }
        if seen.connected.isEmpty { found.append("it had no devices: nothing is shown") }
        return found
    }

    private static func held(_ seen: DrainEvidence) -> [String] {
        var (early, late, missed) = (0, 0, 0)
        for held in seen.held {
            guard let pushedAt = held.pushedAt else {
                missed += 1
                continue
            }
            let wait = pushedAt - (held.writtenAt ?? held.acknowledgedAt)
            if wait < (held.writtenAt == nil ? earliestUnwritten : earliest) { early += 1 }
            if wait > (held.writtenAt == nil ? latestUnwritten : latest) { late += 1 }
        }
        var found: [String] = []
        if early > 0 { found.append("\(early) of \(seen.held.count) holds fell due before their deadline") }
        if late > 0 { found.append("\(late) of \(seen.held.count) holds fell due late") }
        if missed > 0 { found.append("\(missed) of \(seen.held.count) held messages were never pushed") }
        if seen.held.isEmpty { found.append("nothing was held: nothing is shown") }
        return found
    }
}
