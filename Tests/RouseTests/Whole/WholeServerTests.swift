import Simulator
import Testing
import Wire

@testable import Rouse

/// The main job, from HTTP in to the provider's door, with nothing in between replaced.
@Suite(.wholeServer) struct WholeServerTests {
    @Test func `one message wakes the device that is away and not the one that is there`() async throws {
        let whole = try WholeServer.running()
        let (phone, tablet) = ("aa00000000000001", "aa00000000000002")
        try await whole.register("phone", of: "bea", apnsToken: phone)
        try await whole.register("tablet", of: "bea", apnsToken: tablet)
        let device = try whole.connect("phone", of: "bea")
        _ = try await device.waitFor(1, "AUTH_OK")

        let answer = try await whole.send("one-1", to: "bea", text: "See you at 8")
        #expect(answer["duplicate"]?.bool == false)
        #expect(answer["recipients"]?.integer == 1)
        #expect(answer["tasks"]?.integer == 2)

        let entry = try #require(try await device.waitFor(1, "ENTRY").first)
        #expect(entry["message_id"]?.string == "one-1")
        #expect(entry["mailbox_seq"]?.integer == 1)

        let push = try #require(try await whole.waitForPushes(1, to: tablet).first)
        #expect(push.status == 200)
        #expect(push.badge == 1)
        #expect(push.payload?["aps"]?["alert"]?["body"]?.string == "See you at 8")

        // The phone's task is deleted by its acknowledgement: nothing is left that could wake it.
        _ = try await whole.waitForState("applied", of: "phone", "one-1", "bea")
        await device.stop()
        #expect(whole.pushes(to: phone).isEmpty)
    }

    @Test func `a device that leaves with a message not applied is woken at once`() async throws {
        let whole = try WholeServer.running()
        let phone = "bb00000000000001"
        try await whole.register("phone", of: "ben", apnsToken: phone)
        let device = try whole.connect("phone", of: "ben", applies: false)
        _ = try await device.waitFor(1, "AUTH_OK")
        _ = try await whole.send("leave-1", to: "ben")
        _ = try await device.waitFor(1, "ENTRY")
        #expect(whole.pushes(to: phone).isEmpty)
        await device.stop()
        #expect(try await whole.waitForPushes(1, to: phone).count == 1)
    }

    @Test func `a message that comes twice is one entry and one push`() async throws {
        let whole = try WholeServer.running()
        let tablet = "cc00000000000001"
        try await whole.register("tablet", of: "cleo", apnsToken: tablet)
        _ = try await whole.send("twice-1", to: "cleo")
        let again = try await whole.send("twice-1", to: "cleo")
        #expect(again["duplicate"]?.bool == true)
        // Still waiting for its turn it would count the next one, too.
        _ = try await whole.waitForPushes(1, to: tablet)
        _ = try await whole.send("twice-2", to: "cleo")
        let pushes = try await whole.waitForPushes(2, to: tablet)
        #expect(pushes.map(\.badge) == [1, 2])
        #expect(Set(pushes.map(\.apnsID)).count == 2)
        let badge = try await whole.backend.json(.get, "/v1/users/cleo/badge")
        #expect(badge["total_unread"]?.integer == 2)
    }

    @Test func `a dead token is gone with its tasks and the next connection syncs everything`() async throws {
        let whole = try WholeServer.running()
        let tablet = "dd00000000000001"
        try await whole.register("tablet", of: "dan", apnsToken: tablet)
        whole.dev.providers.simulator.script(tablet, .init(.respond(status: 410, reason: nil)))
        _ = try await whole.send("dead-1", to: "dan")
        _ = try await Patience.until("the token's end") {
            let devices = try await whole.backend.json(.get, "/v1/users/dan/devices")["devices"]
            let isWakeable = devices?.elements.first { $0["device"]?.string == "tablet" }?["wakeable"]?.bool
            return isWakeable == false ? true : nil
        }
        let answer = try await whole.send("dead-2", to: "dan")
        #expect(answer["tasks"]?.integer == 0)
        let device = try whole.connect("tablet", of: "dan")
        #expect(try await device.waitFor(2, "ENTRY").count == 2)
        await device.stop()
        #expect(whole.pushes(to: tablet).count == 1)
    }

    @Test func `a phone with Android is woken through FCM until its token is unregistered`() async throws {
        let whole = try WholeServer.running()
        let token = "fcm-token-of-joy"
        try await whole.registerAndroid("phone", of: "joy", token: token)
        _ = try await whole.send("fcm-1", to: "joy", text: "hello joy")
        let push = try #require(try await whole.waitForPushes(1, to: token).first)
        #expect(push.badge == 1)
        let shown = push.payload?["message"]?["android"]?["notification"]
        #expect(shown?["body"]?.string == "hello joy")
        _ = try await whole.waitForState("notified", of: "phone", "fcm-1", "joy")

        whole.dev.providers.simulator.script(
            token, .init(.respond(status: 404, reason: "UNREGISTERED")))
        _ = try await whole.send("fcm-2", to: "joy")
        let ended = try await whole.waitForState("dropped", of: "phone", "fcm-2", "joy")
        #expect(ended["reason"]?.string == "token_dead")
        #expect(try await whole.send("fcm-3", to: "joy")["tasks"]?.integer == 0)
    }

    @Test func `the trace of a push tells each step and the provider's answer`() async throws {
        let whole = try WholeServer.running()
        let tablet = "ee00000000000001"
        try await whole.register("tablet", of: "eve", apnsToken: tablet)
        _ = try await whole.send("trace-1", to: "eve")
        let device = try await whole.waitForState("notified", of: "tablet", "trace-1", "eve")
        let steps = device["trace"]?.elements.compactMap { $0["step"]?.string } ?? []
        #expect(steps.first == "materialised")
        #expect(steps.contains("built"))
        #expect(steps.contains("answered"))
        let admin = try await whole.admin.json(
            .get, "/admin/explain?tenant=demo&message_id=trace-1&user=eve")
        let text = ExplanationText.text(admin)
        #expect(text.contains("message trace-1 for eve, entry 1"))
        #expect(!text.contains(tablet))
    }

    @Test func `a device without a token gets no push and a reason`() async throws {
        let whole = try WholeServer.running()
        try await whole.register("watch", of: "finn", apnsToken: nil)
        #expect(try await whole.send("none-1", to: "finn")["tasks"]?.integer == 0)
        let watch = try await whole.waitForState("suppressed", of: "watch", "none-1", "finn")
        #expect(watch["reason"]?.string == "not_wakeable")
    }

    @Test func `reading on one device takes the number down on the others`() async throws {
        let whole = try WholeServer.running()
        let first = try whole.connect("phone", of: "gus")
        let second = try whole.connect("laptop", of: "gus")
        _ = try await first.waitFor(1, "AUTH_OK")
        _ = try await second.waitFor(1, "AUTH_OK")
        _ = try await whole.send("read-1", to: "gus")
        _ = try await second.waitFor(1, "ENTRY")
        let body = Array(#"{"all":true,"device":"phone"}"#.utf8)
        let badge = try await whole.backend.json(.post, "/v1/users/gus/reads", body)
        #expect(badge["total_unread"]?.integer == 0)
        _ = try await Patience.until("the badge of 0") {
            second.frames("BADGE_UPDATE").last?["total_unread"]?.integer == 0 ? true : nil
        }
        await first.stop()
        await second.stop()
    }

    @Test func `the operator sees the server ready and no secret`() async throws {
        let whole = try WholeServer.running()
        let tablet = "ff00000000000001"
        try await whole.register("tablet", of: "hal", apnsToken: tablet)
        _ = try await whole.send("secret-1", to: "hal", text: "a text for nobody else")
        _ = try await whole.waitForPushes(1, to: tablet)
        #expect(try await whole.admin.json(.get, "/readyz")["ready"]?.bool == true)
        for path in ["/metrics", "/admin/status", "/admin/tenants/demo/api_keys"] {
            let answer = try await whole.admin.call(.get, path)
            #expect(answer.status == 200, "\(path)")
            let text = String(decoding: answer.body, as: UTF8.self)
            #expect(!text.contains(tablet))
            #expect(!text.contains("a text for nobody else"))
            #expect(!text.contains(whole.dev.client.apiKey ?? "?"))
        }
    }
}
