package import Wire

/// What a simulated provider is told to answer for a token.
package struct ScriptedAnswer: Equatable, Sendable {
    package enum Act: Equatable, Sendable {
        case accept
        /// A status, with a reason where the usual one of the status is not meant.
        case respond(status: Int, reason: String?)
        /// Never answers.
        case silent
        /// RST_STREAM with REFUSED_STREAM: the push was not processed.
        case refuse
        /// GOAWAY that leaves this and all later streams unprocessed.
        case goAway
        /// The connection is cut.
        case close
    }

    package var act: Act
    /// With 410: since when the token is dead, in milliseconds.
    package var timestamp: Int64?
    package var retryAfterSeconds: Int?
    package var delayMilliseconds = 0
    /// After so many answers the token is accepted again; nil: never.
    package var times: Int?

    package init(
        _ act: Act, timestamp: Int64? = nil, retryAfterSeconds: Int? = nil, delayMilliseconds: Int = 0,
        times: Int? = nil
    ) {
        self.act = act
        self.timestamp = timestamp
        self.retryAfterSeconds = retryAfterSeconds
        self.delayMilliseconds = delayMilliseconds
        self.times = times
    }

    /// Reads `{"answer": "accept" | "silent" | "refuse" | "goaway" | "close" | STATUS | REASON,
    /// "reason"?, "timestamp"?, "retry_after_s"?, "delay_ms"?, "times"?}`; nil if it is none.
    package init?(_ node: JSONNode) {
        guard let answer = node["answer"], let act = Self.act(answer, reason: node["reason"]?.string) else {
            return nil
        }
        self.act = act
        timestamp = node["timestamp"]?.integer
        retryAfterSeconds = node["retry_after_s"]?.integer.flatMap(Int.init(exactly:))
        delayMilliseconds = node["delay_ms"]?.integer.map { Int(clamping: min(max($0, 0), 3_600_000)) } ?? 0
        times = node["times"]?.integer.flatMap(Int.init(exactly:))
    }

    private static func act(_ answer: JSONNode, reason: String?) -> Act? {
        if let status = answer.integer { return act(status: status, reason: reason) }
        guard let word = answer.string else { return nil }
        switch word {
        case "accept": return .accept
        case "silent": return .silent
        case "refuse": return .refuse
        case "goaway": return .goAway
        case "close": return .close
        default:
            if let status = APNsReason.status[word] ?? FCMCode.status[word] {
                return .respond(status: status, reason: word)
            }
            return Int64(word).flatMap { act(status: $0, reason: reason) }
        }
    }

    private static func act(status: Int64, reason: String?) -> Act? {
        guard (200...599).contains(status) else { return nil }
        return status == 200 ? .accept : .respond(status: Int(status), reason: reason)
    }
}
