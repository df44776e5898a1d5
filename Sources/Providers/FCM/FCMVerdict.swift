import Domain

/// The one place that says what each answer of FCM means: by error code and field, never by status alone.
package enum FCMVerdict {
    package static func judge(_ answer: FCMAnswer) -> Judgement {
        switch (answer.status, answer.errorCode) {
        case (200, _): Judgement(.accepted)
        case (_, "UNREGISTERED"): Judgement(.tokenDead(since: nil))
        case (400, _): Judgement(answer.blamesToken ? .tokenDead(since: nil) : .rejected)
        // Only Google's way to APNs or browsers is broken; the rest of the project goes on.
        case (401, "THIRD_PARTY_AUTH_ERROR"): Judgement(.rejected)
        case (401, _): Judgement(.channelFault, .refreshCredential)
        // A suspect token: of another project; the message is refused, the token stays.
        case (403, "SENDER_ID_MISMATCH"): Judgement(.rejected)
        case (403, _), (404, _): Judgement(.channelFault, .halt)
        case (429, _): quota(answer)
        case (500...599, _): serverFault(answer)
        case (400..<500, _): Judgement(.rejected)
        default: Judgement(.channelFault, .pause(milliseconds: nil))
        }
    }

    private static let quotaPauseMilliseconds: Int64 = 60_000
    private static let faultPauseMilliseconds: Int64 = 10_000

    private static func quota(_ answer: FCMAnswer) -> Judgement {
        let wait = answer.retryAfterMilliseconds ?? quotaPauseMilliseconds
        return answer.isDeviceQuota
            ? Judgement(.retry(afterMilliseconds: wait))
            : Judgement(.channelFault, .pause(milliseconds: wait))
    }

    private static func serverFault(_ answer: FCMAnswer) -> Judgement {
        let wait = answer.retryAfterMilliseconds ?? faultPauseMilliseconds
        return Judgement(.channelFault, .pause(milliseconds: wait))
    }
}
