import Testing
import Wire

@testable import Simulator

struct SimulatorRuleTests {
    private static let usual: [(HTTP2FieldName, String)] = [
        (.method, "POST"), (.path, "/3/device/aa00"), ("apns-topic", "com.example"),
        ("apns-push-type", "alert"),
        ("apns-priority", "10"), ("apns-id", "123e4567-e89b-52d3-a456-426614174000"),
        ("apns-expiration", "1900000000"), ("apns-collapse-id", "c"),
    ]

    private static func fault(_ name: HTTP2FieldName, _ value: String?) -> String? {
        var headers = HTTP2Headers()
        for (usualName, usualValue) in usual {
            if usualName != name {
                headers.append(usualName, usualValue)
            } else if let value {
                headers.append(usualName, value)
            }
        }
        return APNsRules.fault(RequestFields(headers))
    }

    @Test func `each fault of an APNs request has its word`() {
        #expect(Self.fault("x-none", nil) == nil)
        let faults: [(HTTP2FieldName, String?, String)] = [
            ("apns-id", "x", "BadMessageId"), (.method, "GET", "MethodNotAllowed"),
            ("apns-topic", nil, "MissingTopic"),
            ("apns-collapse-id", String(repeating: "c", count: 65), "BadCollapseId"),
            ("apns-priority", "7", "BadPriority"), ("apns-expiration", "soon", "BadExpirationDate"),
            ("apns-push-type", "alarm", "InvalidPushType"), ("apns-push-type", nil, "InvalidPushType"),
            ("apns-push-type", "voip", "BadTopic"), ("apns-topic", "com.example.voip", "BadTopic"),
            ("apns-push-type", "background", "BadPriority"), (.path, "/3/device/", "MissingDeviceToken"),
            (.path, "/3/device/xyz", "BadDeviceToken"), (.path, "/4/device/aa", "BadPath"),
        ]
        for (name, value, word) in faults { #expect(Self.fault(name, value) == word, "\(word)") }
    }

    @Test(arguments: [
        ("alert", #"{"alert":{"title":"a","body":"b"},"badge":1,"sound":"x","mutable-content":1}"#, true),
        ("alert", #"{"badge":0,"content-available":1}"#, true), ("alert", #"{"content-available":1}"#, false),
        ("alert", #"{"alert":{"title":1}}"#, false), ("alert", #"{"alert":{"text":"a"}}"#, false),
        ("alert", #"{"alert":{"loc-key":"K","loc-args":["a"]}}"#, true),
        ("alert", #"{"alert":{"loc-key":"K","loc-args":[1]}}"#, false), ("alert", #"{"badge":-1}"#, false),
        ("alert", #"{"badge":"1"}"#, false), ("alert", #"{"alert":"a","interruption-level":"loud"}"#, false),
        ("background", #"{"content-available":1}"#, true), ("background", "{}", false),
        ("background", #"{"content-available":1,"badge":1}"#, false),
        ("background", #"{"content-available":1,"sound":"x"}"#, false),
        ("background", #"{"content-available":1,"alert":"a"}"#, false), ("voip", "{}", true),
    ])
    func `a payload is what its push type announces`(type: String, aps: String, isFine: Bool) {
        var headers = HTTP2Headers()
        headers.append("apns-push-type", type)
        let body = Array(#"{"aps":\#(aps),"rouse":{}}"#.utf8)
        #expect(APNsRules.fault(body, RequestFields(headers)) == (isFine ? nil : "BadPayload"))
    }

    @Test func `a VoIP push may be longer and no field may stand twice`() {
        var headers = HTTP2Headers()
        headers.append("apns-push-type", "voip")
        let filler = String(repeating: "a", count: 5_120 - 17)
        let body = Array(#"{"aps":{},"a":"\#(filler)"}"#.utf8)
        #expect(body.count == 5_120)
        #expect(APNsRules.fault(body, RequestFields(headers)) == nil)
        #expect(APNsRules.fault(body + [0x20], RequestFields(headers)) == "PayloadTooLarge")
        headers.append("apns-push-type", "voip")
        #expect(APNsRules.fault(RequestFields(headers)) == "DuplicateHeaders")
    }

    @Test func `payloads are measured in bytes`() {
        var headers = HTTP2Headers()
        headers.append("apns-push-type", "alert")
        let fields = RequestFields(headers)
        func payload(_ count: Int) -> [UInt8] {
            Array(#"{"aps":{"alert":""#.utf8) + [UInt8](repeating: 0x61, count: count - 20)
                + Array(#""}}"#.utf8)
        }
        #expect(APNsRules.fault(payload(4_096), fields) == nil)
        #expect(APNsRules.fault(payload(4_097), fields) == "PayloadTooLarge")
        #expect(APNsRules.fault([], fields) == "PayloadEmpty")
        #expect(APNsRules.fault(Array("[]".utf8), fields) == "BadPayload")
    }

    @Test func `scripts are read from words, statuses and reasons`() throws {
        func answer(_ json: String) -> ScriptedAnswer? {
            (try? JSONDocument(parsing: Array(json.utf8))).flatMap { ScriptedAnswer($0.root) }
        }
        #expect(answer(#"{"answer":"silent"}"#) == ScriptedAnswer(.silent))
        #expect(
            answer(#"{"answer":410,"timestamp":5}"#)
                == ScriptedAnswer(.respond(status: 410, reason: nil), timestamp: 5))
        #expect(answer(#"{"answer":"503","retry_after_s":2}"#)?.retryAfterSeconds == 2)
        #expect(answer(#"{"answer":"UNREGISTERED"}"#)?.act == .respond(status: 404, reason: "UNREGISTERED"))
        #expect(answer(#"{"answer":"BadDeviceToken","times":1}"#)?.times == 1)
        #expect(answer(#"{"answer":"accept","delay_ms":9}"#)?.delayMilliseconds == 9)
        #expect(answer(#"{"answer":"whatever"}"#) == nil)
        #expect(answer("{}") == nil)
    }

    @Test func `the ring keeps the newest`() {
        var ring = PushRing(capacity: 3)
        for number in 1...5 {
            _ = ring.append(
                SimulatedPush(
                    provider: .apns, token: number == 4 ? "b" : "a", headers: HTTP2Headers(), body: [],
                    receivedAt: 0,
                    status: 200, reason: ""))
        }
        #expect(ring.newest(10, token: nil, after: 0).map(\.sequence) == [3, 4, 5])
        #expect(ring.newest(1, token: nil, after: 0).map(\.sequence) == [5])
        #expect(ring.newest(10, token: "a", after: 3).map(\.sequence) == [5])
    }
}
