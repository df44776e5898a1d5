import Domain
import Testing

@testable import Providers

struct FCMVerdictTests {
    private static func answer(
        _ status: Int, _ reason: String, code: String? = nil, message: String = "m", details: [String] = [],
        retryAfter: String? = nil
    ) -> FCMAnswer {
        var details = details
        if let code {
            details.append(
                #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#)
        }
        let body =
            #"{"error":{"code":\#(status),"message":"\#(message)","status":"\#(reason)","#
            + #""details":[\#(details.joined(separator: ","))]}}"#
        return FCMAnswer(status: status, retryAfter: retryAfter, body: Array(body.utf8))
    }

    private static func field(_ name: String) -> String {
        #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"\#(name)"}]}"#
    }

    private static func quota(_ subject: String) -> String {
        #"{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"\#(subject)"}]}"#
    }

    static let table: [(FCMAnswer, Judgement)] = [
        (FCMAnswer(status: 200), Judgement(.accepted)),
        (
            answer(
                400, "INVALID_ARGUMENT", code: "INVALID_ARGUMENT",
                message: "The registration token is not a valid FCM registration token"),
            Judgement(.tokenDead(since: nil))
        ),
        (
            answer(400, "INVALID_ARGUMENT", code: "INVALID_ARGUMENT", details: [field("message.token")]),
            Judgement(.tokenDead(since: nil))
        ),
        (
            answer(400, "INVALID_ARGUMENT", code: "INVALID_ARGUMENT", details: [field("message.fid")]),
            Judgement(.tokenDead(since: nil))
        ),
        (
            answer(
                400, "INVALID_ARGUMENT", code: "INVALID_ARGUMENT", details: [field("message.android.ttl")]),
            Judgement(.rejected)
        ),
        (answer(400, "INVALID_ARGUMENT", message: "Android message is too big"), Judgement(.rejected)),
        (answer(401, "UNAUTHENTICATED"), Judgement(.channelFault, .refreshCredential)),
        (answer(401, "UNAUTHENTICATED", code: "THIRD_PARTY_AUTH_ERROR"), Judgement(.rejected)),
        (answer(403, "PERMISSION_DENIED", code: "SENDER_ID_MISMATCH"), Judgement(.rejected)),
        (answer(403, "PERMISSION_DENIED"), Judgement(.channelFault, .halt)),
        (answer(404, "NOT_FOUND", code: "UNREGISTERED"), Judgement(.tokenDead(since: nil))),
        (answer(404, "NOT_FOUND"), Judgement(.channelFault, .halt)),
        (
            answer(429, "RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED"),
            Judgement(.channelFault, .pause(milliseconds: 60_000))
        ),
        (
            answer(429, "RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED", retryAfter: "20"),
            Judgement(.channelFault, .pause(milliseconds: 20_000))
        ),
        (
            answer(429, "RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED", details: [quota("device:x")]),
            Judgement(.retry(afterMilliseconds: 60_000))
        ),
        (answer(500, "INTERNAL", code: "INTERNAL"), Judgement(.channelFault, .pause(milliseconds: 10_000))),
        (
            answer(503, "UNAVAILABLE", code: "UNAVAILABLE", retryAfter: "2"),
            Judgement(.channelFault, .pause(milliseconds: 2_000))
        ),
        (
            FCMAnswer(status: 502, retryAfter: nil, body: Array("<html>".utf8)),
            Judgement(.channelFault, .pause(milliseconds: 10_000))
        ),
    ]

    @Test func `each answer has its verdict and its consequence`() {
        for (answer, judgement) in Self.table {
            #expect(FCMVerdict.judge(answer) == judgement, "\(answer)")
        }
    }

    @Test func `an accepted message has its name`() {
        let body = Array(#"{"name":"projects/p/messages/1"}"#.utf8)
        #expect(FCMAnswer(status: 200, retryAfter: nil, body: body).name == "projects/p/messages/1")
    }

    @Test func `RetryInfo counts where the header is missing`() {
        let info = #"{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"3.5s"}"#
        #expect(Self.answer(503, "UNAVAILABLE", details: [info]).retryAfterMilliseconds == 4_000)
    }

    @Test(arguments: [60, 256, 300]) func `the name of an accepted message is kept, up to a length`(
        _ length: Int
    ) {
        let name = String(repeating: "é", count: length)
        let answer = FCMAnswer(status: 200, retryAfter: nil, body: Array(#"{"name":"\#(name)"}"#.utf8))
        #expect(answer.name == String(repeating: "é", count: min(256, length)))
    }
}
