import Domain
import Testing

@testable import Providers

struct APNsVerdictTests {
    /// Every row of Apple's table, and what is beside it.
    static let table: [(status: Int, reason: String, Judgement)] = [
        (200, "", Judgement(.accepted)),
        (400, "BadCollapseId", Judgement(.rejected)),
        (400, "BadDeviceToken", Judgement(.rejected)),
        (400, "BadExpirationDate", Judgement(.rejected)),
        (400, "BadMessageId", Judgement(.rejected)),
        (400, "BadPriority", Judgement(.rejected)),
        (400, "BadTopic", Judgement(.channelFault, .halt)),
        (400, "DeviceTokenNotForTopic", Judgement(.rejected)),
        (400, "DuplicateHeaders", Judgement(.rejected)),
        (400, "IdleTimeout", Judgement(.channelFault, .reconnect)),
        (400, "InvalidPushType", Judgement(.rejected)),
        (400, "MissingDeviceToken", Judgement(.rejected)),
        (400, "MissingTopic", Judgement(.channelFault, .halt)),
        (400, "PayloadEmpty", Judgement(.rejected)),
        (400, "TopicDisallowed", Judgement(.channelFault, .halt)),
        (403, "BadCertificate", Judgement(.channelFault, .halt)),
        (403, "BadCertificateEnvironment", Judgement(.channelFault, .halt)),
        (403, "ExpiredProviderToken", Judgement(.channelFault, .refreshCredential)),
        (403, "Forbidden", Judgement(.channelFault, .halt)),
        (403, "InvalidProviderToken", Judgement(.channelFault, .suspectCredential)),
        (403, "MissingProviderToken", Judgement(.channelFault, .halt)),
        (403, "UnrelatedKeyIdInToken", Judgement(.channelFault, .reconnect)),
        (403, "BadEnvironmentKeyIdInToken", Judgement(.channelFault, .halt)),
        (403, "BadEnvironmentKeyInToken", Judgement(.channelFault, .halt)),
        (404, "BadPath", Judgement(.rejected)),
        (405, "MethodNotAllowed", Judgement(.rejected)),
        (410, "ExpiredToken", Judgement(.tokenDead(since: nil))),
        (410, "Unregistered", Judgement(.tokenDead(since: nil))),
        (413, "PayloadTooLarge", Judgement(.rejected)),
        (
            429, "TooManyProviderTokenUpdates",
            Judgement(.channelFault, .pauseAndReconnect(milliseconds: 300_000))
        ),
        (429, "TooManyRequests", Judgement(.retry(afterMilliseconds: nil))),
        (500, "InternalServerError", Judgement(.channelFault, .pause(milliseconds: nil))),
        (503, "ServiceUnavailable", Judgement(.channelFault, .pause(milliseconds: nil))),
        (503, "Shutdown", Judgement(.channelFault, .reconnect)),
        (520, "", Judgement(.channelFault, .pause(milliseconds: nil))),
        (400, "SomethingNew", Judgement(.rejected)),
        (403, "SomethingNew", Judgement(.channelFault, .halt)),
        (410, "SomethingNew", Judgement(.tokenDead(since: nil))),
        (429, "SomethingNew", Judgement(.retry(afterMilliseconds: nil))),
        (302, "", Judgement(.channelFault, .pause(milliseconds: nil))),
    ]

    @Test func `each answer has its verdict and its consequence`() {
        for (status, reason, judgement) in Self.table {
            let answer = APNsAnswer(status: status, reason: reason)
            #expect(APNsVerdict.judge(answer) == judgement, "\(status) \(reason)")
        }
    }

    @Test func `a dead token keeps Apple's own time`() {
        let body = Array(#"{"reason":"Unregistered","timestamp":1700000000123}"#.utf8)
        let judgement = APNsVerdict.judge(APNsAnswer(status: 410, retryAfter: nil, body: body))
        #expect(judgement == Judgement(.tokenDead(since: WallTime(milliseconds: 1_700_000_000_123))))
    }

    @Test func `Retry-After wins where it is given`() {
        let body = Array(#"{"reason":"TooManyRequests"}"#.utf8)
        let tooMany = APNsAnswer(status: 429, retryAfter: "7", body: body)
        #expect(APNsVerdict.judge(tooMany) == Judgement(.retry(afterMilliseconds: 7_000)))
        let unavailable = APNsAnswer(status: 503, retryAfter: "3", body: [])
        #expect(APNsVerdict.judge(unavailable) == Judgement(.channelFault, .pause(milliseconds: 3_000)))
        #expect(RetryAfter.milliseconds("999999999") == 3_600_000)
        #expect(RetryAfter.milliseconds("-1") == nil)
    }

    @Test func `what is no word never becomes a reason`() {
        let html = Array("<html>token 00ff</html>".utf8)
        #expect(APNsAnswer(status: 502, retryAfter: nil, body: html).reason == "")
        let sentence = Array(#"{"reason":"your token is 00ff"}"#.utf8)
        #expect(APNsAnswer(status: 400, retryAfter: nil, body: sentence).reason == "")
    }
}
