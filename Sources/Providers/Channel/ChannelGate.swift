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

    static let firstPauseMilliseconds: Int64 = 1_000
    static let longestPauseMilliseconds: Int64 = 30_000
    static let firstHaltMilliseconds: Int64 = 60_000
    static let longestHaltMilliseconds: Int64 = 900_000

    package private(set) var state = State.closed
    /// Why it does not send; empty while it does.
    package private(set) var reason = ""
    /// Faults since the provider last accepted a push.
    package private(set) var faults = 0
    package private(set) var isOnProbation = false

    package init() {}

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
        self = ChannelGate()
        state = .open
    }

    package mutating func credentialLeft(reason: String) {
        self = ChannelGate()
        self.reason = reason
    }

    /// The provider accepted a push. One that left before a pause began does not end it.
    package mutating func accepted() {
        guard isOpen else { return }
        faults = 0
        isOnProbation = false
    }

    /// Sends nothing for so long, else by back-off; `jitter` is uniform in 0..<1.
    ///
    /// Answers that arrive during a pause prolong it if they ask for more, and are no further fault.
    package mutating func pause(milliseconds: Int64?, reason: String, at now: Instant, jitter: Double) {
        switch state {
        case .open:
            faults += 1
            let wait = milliseconds ?? backOff(Self.firstPauseMilliseconds, Self.longestPauseMilliseconds)
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
            let wait = backOff(Self.firstHaltMilliseconds, Self.longestHaltMilliseconds)
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
