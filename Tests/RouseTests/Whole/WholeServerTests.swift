import Simulator
import Testing
import Wire

@testable import Rouse

/// The main job, from HTTP in to the provider's door, with nothing in between replaced.
@Suite(.serialized) struct WholeServerTests {
    private let tablet = DemoTenant.tabletToken
    private let phone = "f0e1d20000000001"

    @Test func `one message wakes the device that is away and not the one that is there`() async throws {
        try await WholeServer.run { whole in
            try await whole.register("phone", of: "bob", apnsToken: phone)
            let device = try whole.connect("phone", of: "bob")
            _ = try await whole.eventually("the welcome") { device.frames("AUTH_OK").first }

            let answer = try await whole.send("m-1", to: "bob", text: "See you at 8")
            #expect(answer["duplicate"]?.bool == false)
            #expect(answer["recipients"]?.integer == 1)

            let entry = try await whole.eventually("the entry") { device.frames("ENTRY").first }
            #expect(entry["message_id"]?.string == "m-1")
            #expect(entry["mailbox_seq"]?.integer == 1)

            let push = try #require(await whole.waitForPushes(1, to: tablet).first)
            #expect(push.status == 200)
            #expect(push.badge == 1)
            #expect(push.payload?["aps"]?["alert"]?["body"]?.string == "See you at 8")

            // The phone's task is deleted by its acknowledgement, and it is told so.
            _ = try await whole.eventually("the phone's outcome") {
                let devices =
                    try await whole.explain("m-1", "bob")["devices"].map { Array($0.elements) } ?? []
                return devices.first { $0["device"]?.string == "phone" && $0["state"]?.string == "applied" }
            }
            await device.stop()
            #expect(whole.pushes.allSatisfy { $0.token == tablet })
        }
    }

    @Test func `a device that leaves with a message not applied is woken at once`() async throws {
        try await WholeServer.run { whole in
            try await whole.register("phone", of: "bob", apnsToken: phone)
            let device = try whole.connect("phone", of: "bob", applies: false)
            _ = try await whole.eventually("the welcome") { device.frames("AUTH_OK").first }
            _ = try await whole.send("m-1", to: "bob")
            _ = try await whole.eventually("the entry") { device.frames("ENTRY").first }
            #expect(whole.pushes.allSatisfy { $0.token != phone })
            await device.stop()
            #expect(try await whole.waitForPushes(1, to: phone).count == 1)
        }
    }

    @Test func `a message that comes twice is one entry and one push`() async throws {
        try await WholeServer.run { whole in
            _ = try await whole.send("m-1", to: "bob")
            let again = try await whole.send("m-1", to: "bob")
            #expect(again["duplicate"]?.bool == true)
            _ = try await whole.send("m-2", to: "bob")
            let pushes = try await whole.waitForPushes(2, to: tablet)
            #expect(pushes.map(\.badge) == [1, 2])
            #expect(Set(pushes.map(\.apnsID)).count == 2)
            let badge = try await whole.backend.json(.get, "/v1/users/bob/badge")
            #expect(badge["total_unread"]?.integer == 2)
        }
    }

    @Test func `a dead token is gone with its tasks and the next connection syncs everything`() async throws {
        try await WholeServer.run { whole in
            whole.dev.providers.simulator.script(tablet, .init(.respond(status: 410, reason: nil)))
            _ = try await whole.send("m-1", to: "bob")
            _ = try await whole.eventually("the token's end") {
                let devices = try await whole.backend.json(.get, "/v1/users/bob/devices")["devices"]
                let wakeable = devices?.elements.first { $0["device"]?.string == "tablet" }?["wakeable"]?.bool
                return wakeable == false ? true : nil
            }
            let answer = try await whole.send("m-2", to: "bob")
            #expect(answer["tasks"]?.integer == 0)
            let device = try whole.connect("tablet", of: "bob")
            _ = try await whole.eventually("both entries") { device.frames("ENTRY").count == 2 ? true : nil }
            await device.stop()
        }
    }

    @Test func `the trace of a push tells each step and the provider's answer`() async throws {
        try await WholeServer.run { whole in
            _ = try await whole.send("m-1", to: "bob")
            _ = try await whole.waitForPushes(1, to: tablet)
            let device = try await whole.eventually("the outcome") {
                let devices =
                    try await whole.explain("m-1", "bob")["devices"].map { Array($0.elements) } ?? []
                return devices.first { $0["state"]?.string == "notified" }
            }
            let steps = device["trace"]?.elements.compactMap { $0["step"]?.string } ?? []
            #expect(steps.first == "materialised")
            #expect(steps.contains("built"))
            #expect(steps.contains("answered"))
            let text = ExplanationText.text(try await whole.explain("m-1", "bob"))
            #expect(text.contains("message m-1 for bob, entry 1"))
            #expect(!text.contains(tablet))
        }
    }

    @Test func `a device without a token gets no push and a reason`() async throws {
        try await WholeServer.run { whole in
            let empty = Array(#"{"tokens":[]}"#.utf8)
            try await whole.backend.done(.put, "/v1/users/bob/devices/watch", empty)
            let answer = try await whole.send("m-1", to: "bob")
            #expect(answer["tasks"]?.integer == 1)
            let watch = try await whole.eventually("the watch's outcome") {
                let devices =
                    try await whole.explain("m-1", "bob")["devices"].map { Array($0.elements) } ?? []
                return devices.first { $0["device"]?.string == "watch" }
            }
            #expect(watch["state"]?.string == "suppressed")
            #expect(watch["reason"]?.string == "not_wakeable")
        }
    }

    @Test func `the operator sees the server ready and no secret in its metrics and status`() async throws {
        try await WholeServer.run { whole in
            _ = try await whole.send("m-1", to: "bob", text: "a text for nobody else")
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
}
