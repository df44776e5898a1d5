import Domain
import Wire

/// An answer of APNs as it came.
package struct APNsAnswer: Equatable, Sendable {
    package var status: Int
    /// The word in the body; empty when there was none.
    package var reason = ""
    /// When APNs found the token dead, in milliseconds (410 only).
    package var timestamp: Int64?
    package var retryAfterMilliseconds: Int64?

    package init(
        status: Int, reason: String = "", timestamp: Int64? = nil, retryAfterMilliseconds: Int64? = nil
    ) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }

    /// Reads status, `retry-after` and the JSON body; a body of a middlebox leaves the reason empty.
    package init(status: Int, retryAfter: String?, body: [UInt8]) {
        self.init(status: status, retryAfterMilliseconds: RetryAfter.milliseconds(retryAfter))
        guard status != 200, !body.isEmpty, let document = try? JSONDocument(parsing: body) else { return }
        reason = document.root["reason"]?.string.flatMap(AnswerWord.init)?.text ?? ""
        timestamp = document.root["timestamp"]?.integer
    }
}

/// The one place that says what each answer of APNs means
/// (Apple: "Handling notification responses from APNs").
package enum APNsVerdict {
    package static func judge(_ answer: APNsAnswer) -> Judgement {
        switch answer.status {
        case 200: Judgement(.accepted)
        case 400: badRequest(answer)
        case 403: forbidden(answer)
        case 404, 405, 413: Judgement(.rejected)
        case 410: Judgement(.tokenDead(since: answer.timestamp.map(WallTime.init(milliseconds:))))
        case 429: tooMany(answer)
        case 500...599: serverFault(answer)
        default: Judgement(.channelFault, .pause(milliseconds: nil))
        }
    }

    /// A suspect token (`BadDeviceToken`, `DeviceTokenNotForTopic`) refuses the message
    /// and stays: a wrong environment would otherwise wipe all tokens at once.
    private static func badRequest(_ answer: APNsAnswer) -> Judgement {
        switch answer.reason {
        case "IdleTimeout": Judgement(.channelFault, .reconnect)
        case "BadTopic", "MissingTopic", "TopicDisallowed": Judgement(.channelFault, .halt)
        default: Judgement(.rejected)
        }
    }

    private static func forbidden(_ answer: APNsAnswer) -> Judgement {
        switch answer.reason {
        case "ExpiredProviderToken": Judgement(.channelFault, .refreshCredential)
        case "InvalidProviderToken": Judgement(.channelFault, .suspectCredential)
        case "UnrelatedKeyIdInToken": Judgement(.channelFault, .reconnect)
        default: Judgement(.channelFault, .halt)
        }
    }

    private static func tooMany(_ answer: APNsAnswer) -> Judgement {
        guard answer.reason == "TooManyProviderTokenUpdates" else {
            return Judgement(.retry(afterMilliseconds: answer.retryAfterMilliseconds))
        }
        let pause = answer.retryAfterMilliseconds ?? tokenUpdatePauseMilliseconds
        return Judgement(.channelFault, .pauseAndReconnect(milliseconds: pause))
    }

    /// Apple forgives after some minutes, at the latest after the 20 of the floor.
    private static let tokenUpdatePauseMilliseconds: Int64 = 5 * 60_000

    private static func serverFault(_ answer: APNsAnswer) -> Judgement {
        if answer.reason == "Shutdown" { return Judgement(.channelFault, .reconnect) }
        return Judgement(.channelFault, .pause(milliseconds: answer.retryAfterMilliseconds))
    }
}
