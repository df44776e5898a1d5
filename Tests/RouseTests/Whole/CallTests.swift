import Simulator
import Testing
import Wire

@testable import Rouse

/// A call, from HTTP in to the provider's door and the device's socket, with nothing in between replaced.
@Suite(.wholeServer) struct CallTests {
    private func register(_ device: String, of user: String, _ tokens: String...) async throws {
        let whole = try WholeServer.running()
        let words = ["--user", user, "--device", device] + tokens
        let registration = try Registration(Arguments(words, of: Commands.device))
        try await whole.backend.done(.put, "/v1/users/\(user)/devices/\(device)", registration?.bytes)
    }

    private func ring(_ id: String, _ callee: String, ttl seconds: Int = 600) async throws -> JSONNode {
        let body =
            #"{"call_id":"\#(id)","caller":{"user":"alice","name":"Alice"},"callees":["\#(callee)"],"#
            + #""video":true,"ttl_s":\#(seconds),"data":{"room":"r-1"}}"#
        return try await WholeServer.running().backend.json(.post, "/v1/calls", Array(body.utf8))
    }

    @Test func `a phone that is away rings by VoIP, at once, and by nothing else`() async throws {
        let whole = try WholeServer.running()
        let (alert, voIP) = ("ca00000000000001", "ca00000000000002")
        try await register("phone", of: "ida", "--apns-token", alert, "--voip-token", voIP)
        let answer = try await ring("call-1", "ida")
        #expect(answer["duplicate"]?.bool == false && answer["devices"]?.integer == 1)
        let push = try #require(try await whole.waitForPushes(1, to: voIP).first)
        #expect(push.status == 200)
        #expect(push.headers["apns-push-type"] == "voip")
        #expect(push.headers["apns-topic"] == "com.example.app.voip")
        #expect(push.headers["apns-expiration"] == "0" && push.headers["apns-priority"] == "10")
        let rouse = push.payload?["rouse"]
        #expect(rouse?["kind"]?.string == "call" && rouse?["call_id"]?.string == "call-1")
        #expect(push.payload?["room"]?.string == "r-1")
        #expect(try await ring("call-1", "ida")["duplicate"]?.bool == true)
        #expect(whole.pushes(to: voIP).count == 1 && whole.pushes(to: alert).isEmpty)
    }

    @Test func `a device that is there is told by a frame; answering it stops the others`() async throws {
        let whole = try WholeServer.running()
        let (phone, tablet) = ("cb00000000000001", "cb00000000000002")
        try await register("phone", of: "jon", "--voip-token", phone)
        try await register("tablet", of: "jon", "--voip-token", tablet)
        let first = try whole.connect("phone", of: "jon")
        let second = try whole.connect("laptop", of: "jon", applies: false)
        _ = try await first.waitFor(1, "AUTH_OK")
        _ = try await second.waitFor(1, "AUTH_OK")
        _ = try await ring("call-2", "jon")
        let call = try #require(try await first.waitFor(1, "CALL").first)
        #expect(call["caller"]?["name"]?.string == "Alice" && call["data"]?["room"]?.string == "r-1")
        _ = try await second.waitFor(1, "CALL")
        _ = try await whole.waitForPushes(1, to: tablet)

        // The phone applied it: its own connection may end, and no push is made for it.
        let third = try whole.connect("watch", of: "jon", answers: true)
        _ = try await third.waitFor(1, "CALL")
        for device in [first, second] {
            let told = try #require(try await device.waitFor(1, "CALL_CANCELLED").first)
            #expect(told["reason"]?.string == "answered_elsewhere")
        }
        for device in [first, second, third] { await device.stop() }
        #expect(whole.pushes(to: phone).isEmpty)
    }

    @Test func `an Android phone rings through FCM, with priority and without a notification`() async throws {
        let whole = try WholeServer.running()
        try await register("phone", of: "kim", "--fcm-token", "fcm-token-of-kim")
        _ = try await ring("call-3", "kim")
        let push = try #require(try await whole.waitForPushes(1, to: "fcm-token-of-kim").first)
        let message = push.payload?["message"]
        #expect(message?["android"]?["priority"]?.string == "HIGH")
        #expect(message?["android"]?["notification"] == nil)
        #expect(message?["data"]?["rouse_kind"]?.string == "call")
        #expect(message?["data"]?["rouse_call_id"]?.string == "call-3")
    }

    @Test func `an Android phone that rings by FCM stops by it when the call is cancelled`() async throws {
        let whole = try WholeServer.running()
        let (android, alert, voIP) = ("fcm-token-of-ned", "ce10000000000001", "ce10000000000002")
        try await register("android", of: "ned", "--fcm-token", android)
        try await register("phone", of: "ned", "--apns-token", alert, "--voip-token", voIP)
        _ = try await ring("call-7", "ned")
        for token in [android, voIP] { _ = try await whole.waitForPushes(1, to: token) }
        let reason = #"{"reason":"hung_up"}"#
        _ = try await whole.backend.json(.post, "/v1/calls/call-7/cancel", Array(reason.utf8))
        let push = try #require(try await whole.waitForPushes(2, to: android).last)
        let message = push.payload?["message"]
        #expect(push.status == 200)
        #expect(message?["android"]?["priority"]?.string == "HIGH")
        #expect(message?["data"]?["rouse_kind"]?.string == "call_cancelled")
        #expect(message?["data"]?["rouse_call_id"]?.string == "call-7")
        #expect(message?["data"]?["rouse_reason"]?.string == "hung_up")
        // Nothing but the ring itself has gone to the iPhone.
        #expect(whole.pushes(to: voIP).count == 1 && whole.pushes(to: alert).isEmpty)
    }

    @Test func `a dead VoIP token goes, and messages still reach the phone`() async throws {
        let whole = try WholeServer.running()
        let (alert, voIP) = ("cc10000000000001", "cc10000000000002")
        try await register("phone", of: "lea", "--apns-token", alert, "--voip-token", voIP)
        whole.dev.providers.simulator.script(voIP, .init(.respond(status: 410, reason: nil)))
        _ = try await ring("call-4", "lea")
        _ = try await Patience.until("the VoIP token's end") {
            let devices = try await whole.backend.json(.get, "/v1/users/lea/devices")["devices"]
            let transports = devices?.elements.first { _ in true }?["transports"]?.elements
                .compactMap(\.string)
            return transports == ["apns"] ? true : nil
        }
        _ = try await whole.send("after-call", to: "lea")
        #expect(try await whole.waitForPushes(1, to: alert).first?.status == 200)
        #expect(try await ring("call-5", "lea")["devices"]?.integer == 0)
    }

    @Test func `why a device was not rung is counted`() async throws {
        let whole = try WholeServer.running()
        try await register("phone", of: "max", "--apns-token", "cd00000000000001")
        #expect(try await ring("call-6", "max")["devices"]?.integer == 0)
        let answer = try await whole.admin.call(.get, "/metrics")
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(text.contains(#"rouse_call_outcomes_total{outcome="suppressed",reason="no_call_token"}"#))
        #expect(whole.pushes(to: "cd00000000000001").isEmpty)
    }
}
