package import Domain

/// What a provider's answer means: for the push, and for the channel it came over.
package struct Judgement: Equatable, Sendable {
    package let verdict: PushVerdict
    package let consequence: ChannelConsequence

    package init(_ verdict: PushVerdict, _ consequence: ChannelConsequence = .none) {
        self.verdict = verdict
        self.consequence = consequence
    }
}

/// What an answer says about the channel, beside the push it answers.
package enum ChannelConsequence: Equatable, Sendable {
    case none
    /// Drain this connection and open another.
    case reconnect
    /// Send nothing for a while: as long as the provider asked, else by back-off.
    case pause(milliseconds: Int64?)
    /// Pause, and come back over new connections.
    case pauseAndReconnect(milliseconds: Int64)
    /// The provider found the bearer token too old or unknown: make a new
    /// one, if it is old enough; a fault that stays halts the channel.
    case refreshCredential
    /// The credential may be wrong, or the connection may be spoilt by another: reconnect once, then halt.
    case suspectCredential
    /// The operator has to act.
    case halt
}

/// The longest pause a provider can impose, against nonsense in `Retry-After`.
enum RetryAfter {
    private static let longestSeconds: Int64 = 3_600

    /// Whole seconds of a `Retry-After` field; a date or nonsense is nil.
    static func milliseconds(_ field: String?) -> Int64? {
        guard let field, let seconds = Int64(field), seconds >= 0 else { return nil }
        return min(seconds, longestSeconds) * 1_000
    }
}
