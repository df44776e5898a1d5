import Domain

/// What a connection has to be looked at for: AUTH in time, silence, the end of the credential. Pure, and one
/// timer of the owner's serves all of it.
struct LinkWatch: Equatable {
    enum Verdict: Equatable {
        case goOn
        /// The peer has said nothing for long: ask whether it is there.
        case ping
        /// It was asked in vain.
        case unheard
        /// No AUTH came in time.
        case unauthenticated
        case credentialExpired
    }

    private enum Limit: Equatable {
        case authentication(until: Instant)
        /// By the wall clock, which may be set: looked at again whenever the timer rings.
        case credential(until: WallTime)
    }

    private static let pingsInVain: UInt8 = 2

    private var limit: Limit
    /// When the peer was heard last, or pinged since.
    private var quietSince: Instant
    private var missedPings: UInt8 = 0
    /// When anything came from the peer last.
    private(set) var heardAt: Instant

    init(at now: Instant, authenticationWithin milliseconds: Int64) {
        limit = .authentication(until: now + milliseconds)
        quietSince = now
        heardAt = now
    }

    mutating func heard(at now: Instant) {
        heardAt = now
        quietSince = now
        missedPings = 0
    }

    /// A credential was taken, the first or a newer one: its end counts from now on.
    mutating func authenticated(until expiry: WallTime) { limit = .credential(until: expiry) }

    /// When the timer rings. A ping counts as sent, and its answer has an interval of its own: a process that
    /// was stopped for long asks before it gives anybody up.
    mutating func ring(at now: Moment, pingEvery interval: Int64) -> Verdict {
        switch limit {
        case .authentication(let until) where until <= now.instant: return .unauthenticated
        case .credential(let until) where until <= now.wall: return .credentialExpired
        default: break
        }
        guard now.instant - quietSince >= interval else { return .goOn }
        guard missedPings < Self.pingsInVain else { return .unheard }
        missedPings += 1
        quietSince = now.instant
        return .ping
    }

    /// How long the timer may sleep.
    func milliseconds(from now: Moment, pingEvery interval: Int64) -> Int64 {
        let silence = quietSince + interval - now.instant
        switch limit {
        case .authentication(let until): return max(0, min(silence, until - now.instant))
        case .credential(let until): return max(0, min(silence, until - now.wall))
        }
    }
}
