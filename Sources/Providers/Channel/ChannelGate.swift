package import Domain

/// Whether a channel may send, and when it may again: the circuit breaker, pure.
///
/// A pause ends by itself; a halt is a long pause that a new credential ends at once. After
/// either the channel is on probation: one request at a time until the provider accepts one, so
/// that a fault that stays costs the provider one request and not a thousand.
package struct ChannelGate: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        case open
        case paused(until: Instant)
        case halted(until: Instant)
        /// There is no credential.
        case closed
    }

    /// How long back-offs are, in milliseconds; each doubles from the first to the longest.
    package struct Timing: Equatable, Sendable {
        package var firstPause: Int64 = 1_000
        package var longestPause: Int64 = 30_000
        package var firstHalt: Int64 = 60_000
        package var longestHalt: Int64 = 900_000

        package init() {}
    }

    package private(set) var state = State.closed
    /// Why it does not send; empty while it does.
    package private(set) var reason = ""
    /// Faults since the provider last accepted a push.
    package private(set) var faults = 0
    package private(set) var isOnProbation = false

    private let timing: Timing

    package init(timing: Timing = Timing()) { self.timing = timing }

    package var isOpen: Bool { state == .open }

    /// When the pause or halt ends.
    package var reopensAt: Instant? {
        switch state {
        case .paused(let instant), .halted(let instant): instant
        case .open, .closed: nil
        }
    }

    /// A credential is there: whatever halted the channel is forgotten.
    package mutating func credentialArrived() {
        self = ChannelGate(timing: timing)
        state = .open
    }

    package mutating func credentialLeft(reason: String) {
        self = ChannelGate(timing: timing)
        self.reason = reason
    }

    /// The provider accepted a push. One that left before a pause began does not end it.
    package mutating func accepted() {
        guard isOpen else { return }
        faults = 0
        isOnProbation = false
    }

    /// A fault that needs no pause yet.
    package mutating func faulted() {
        if isOpen { faults += 1 }
    }

    /// Sends nothing for so long, else by back-off; `jitter` is uniform in 0..<1.
    ///
    /// Answers that arrive during a pause prolong it if they ask for more, and are no further fault.
    package mutating func pause(milliseconds: Int64?, reason: String, at now: Instant, jitter: Double) {
        switch state {
        case .open:
            faults += 1
            let wait = milliseconds ?? backOff(timing.firstPause, timing.longestPause)
            enter(.paused(until: now + jittered(wait, isGiven: milliseconds != nil, jitter)), reason)
        case .paused(let until):
            guard let milliseconds, now + milliseconds > until else { return }
            enter(.paused(until: now + milliseconds), reason)
        case .halted, .closed: break
        }
    }

    package mutating func halt(reason: String, at now: Instant, jitter: Double) {
        switch state {
        case .open, .paused:
            faults += 1
            let wait = backOff(timing.firstHalt, timing.longestHalt)
            enter(.halted(until: now + jittered(wait, isGiven: false, jitter)), reason)
        case .halted, .closed: break
        }
    }

    /// The clock moved on: true if the channel opened.
    package mutating func tick(at now: Instant) -> Bool {
        guard let reopensAt, reopensAt <= now else { return false }
        state = .open
        reason = ""
        isOnProbation = true
        return true
    }

    private mutating func enter(_ state: State, _ reason: String) {
        self.state = state
        self.reason = reason
    }

    private func backOff(_ first: Int64, _ longest: Int64) -> Int64 {
        min(longest, first << Int64(min(max(faults - 1, 0), 20)))
    }

    /// Between half and all of a back-off; what the provider asked for is never shortened.
    private func jittered(_ wait: Int64, isGiven: Bool, _ jitter: Double) -> Int64 {
        isGiven ? wait + Int64(jitter * 500) : wait / 2 + Int64(jitter * Double(wait / 2))
    }
}
