/// The duty to ring one device for one call.
package struct CallRing: Equatable, Sendable {
    package let device: DeviceKey
    package internal(set) var state: State
    /// Answers about this push so far that asked for another try.
    package internal(set) var attempts = 0
    /// The UTC day whose quota it has taken one of; nil: none.
    package internal(set) var chargedDay: Int64?
    package internal(set) var trace: [TraceStep]
    /// What came while the request was with the provider; settled with its outcome.
    var pendingEnd: End?
    /// Whether a request has left, or may have before a crash: what it took of the quota is spent.
    var wasHandedOver = false
    /// When the last request left; nil: none has since the state was read.
    var pushedAt: Instant?
    /// The push that tells a device which rings that the call is over.
    package internal(set) var farewell = Farewell.none
    /// Answers about that push so far that asked for another try.
    var farewellAttempts = 0

    package enum Farewell: Equatable, Sendable {
        /// None is owed, so far.
        case none
        case due
        case inFlight(PushAttempt)
        case retrying(at: Instant)
        /// The provider has answered, or the device needs it no more.
        case over
    }

    package enum State: Equatable, Sendable {
        /// The device is connected: told by a frame, and pushed unless it applies it by then.
        case offered(until: Instant)
        /// To be pushed at the channel's next turn.
        case due
        case inFlight(PushAttempt)
        case retrying(at: Instant)
        case over(End)
    }

    package struct End: Equatable, Sendable {
        package let outcome: Outcome
        package let reason: OutcomeReason

        package init(_ outcome: Outcome, _ reason: OutcomeReason = .none) {
            self.outcome = outcome
            self.reason = reason
        }
    }

    /// A ring that begins now.
    init(_ device: DeviceKey, _ state: State, _ trace: [TraceStep]) {
        self.device = device
        self.state = state
        self.trace = trace
    }

    /// A ring read back: what it took of the quota may have been sent.
    package init(device: DeviceKey, state: State, attempts: Int, chargedDay: Int64?) {
        self.device = device
        self.state = state
        self.attempts = attempts
        self.chargedDay = chargedDay
        trace = []
        wasHandedOver = true
    }

    package var isOver: Bool { end != nil }

    package var end: End? { if case .over(let end) = state { end } else { nil } }

    /// How it ends as far as is known: a provider's answer may still turn it into `notified`.
    package var knownEnd: End? { end ?? pendingEnd }

    /// Its request that is with a provider: the ring's own, or the one that tells of the end.
    var attempt: PushAttempt? {
        if case .inFlight(let attempt) = state { return attempt }
        if case .inFlight(let attempt) = farewell { return attempt }
        return nil
    }

    /// Whether it has something to be pushed now.
    var isDue: Bool { state == .due || farewell == .due }

    var owesFarewell: Bool {
        switch farewell {
        case .due, .retrying: true
        case .none, .inFlight, .over: false
        }
    }

    /// Whether the device was rung or will be: neither left out, nor given up, nor called off before.
    var counts: Bool {
        guard let knownEnd else { return true }
        return knownEnd.outcome == .notified || knownEnd.outcome == .applied
    }
}

/// What is stored of a ring.
package enum StoredRingState: UInt8, Sendable {
    case offered = 1
    case due = 2
    /// Waits for the next attempt.
    case retrying = 3
    case over = 4
}

/// How many VoIP pushes a device has had on one UTC day.
package struct VoIPCount: Equatable, Sendable {
    package let day: Int64
    package let used: Int

    package init(day: Int64, used: Int) {
        self.day = day
        self.used = used
    }

    /// The UTC day of a time, counted from 1970.
    package static func day(of time: WallTime) -> Int64 {
        let length: Int64 = 86_400_000
        return (time.milliseconds - (time.milliseconds % length + length) % length) / length
    }
}

/// What happens to a ring beside what happens to every push, for its explanation.
package enum CallStep: Equatable, Sendable {
    /// The CALL frame goes to this connection, now or after its catch-up.
    case offered(ConnectionID)
    /// Judged against the device's quota of the day.
    case quota(used: Int, limit: Int)
    case built(Transport, attempt: Int)
    /// The push that tells of the call's end.
    case endBuilt(Transport, attempt: Int)
    /// The leg has ended: answered, cancelled or expired.
    case legEnded(CallLeg.State)
}
