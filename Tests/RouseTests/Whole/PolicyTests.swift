import Simulator
import Testing
import Wire

@testable import Rouse

/// What a user and a tenant have set, from HTTP in to the provider's door.
@Suite(.wholeServer) struct PolicyTests {
    private func steps(_ device: JSONNode) -> [String: JSONNode] {
        let steps = device["trace"]?.elements.compactMap { step in step["step"]?.string.map { ($0, step) } }
        return Dictionary(steps ?? []) { first, _ in first }
    }

    private func send(_ whole: WholeServer, _ id: String, to user: String, more: String) async throws {
        let body =
            #"{"message_id":"\#(id)","conversation":{"id":"c-\#(user)","kind":"group","member_count":9},"#
            + #""sender":{"user":"alice"},"recipients":["\#(user)"]\#(more)}"#
        _ = try await whole.backend.json(.post, "/v1/messages", Array(body.utf8))
    }

    @Test func `in quiet hours a message is silent, and explained by the clock; a mention pushes`()
        async throws
    {
        let whole = try WholeServer.running()
        let phone = "e000000000000001"
        try await whole.register("phone", of: "quentin", apnsToken: phone)
        let settings = #"{"quiet_hours":{"start":"08:00","end":"08:00"},"time_zone":"Asia/Shanghai"}"#
        _ = try await whole.backend.json(.put, "/v1/users/quentin/settings", Array(settings.utf8))
        try await send(whole, "quiet-1", to: "quentin", more: "")
        try await send(whole, "quiet-2", to: "quentin", more: #","mentions":{"users":["quentin"]}"#)
        let push = try #require(try await whole.waitForPushes(1, to: phone).first)
        #expect(push.badge == 2)
        let silent = try await whole.waitForState("suppressed", of: "phone", "quiet-1", "quentin")
        #expect(silent["reason"]?.string == "quiet_hours")
        let step = steps(silent)["quiet_hours"]
        #expect(step?["time_zone"]?.string == "Asia/Shanghai" && step?["zone_of"]?.string == "user")
        #expect(step?["start"]?.string == "08:00" && step?["local_time"]?.string?.utf8.count == 5)
        _ = try await whole.waitForState("notified", of: "phone", "quiet-2", "quentin")
        #expect(whole.pushes(to: phone).count == 1)
    }

    @Test func `what is over a limit is dropped and says how the limit stood`() async throws {
        let whole = try WholeServer.running()
        let phone = "e000000000000002"
        try await whole.register("phone", of: "lena", apnsToken: phone)
        for number in 1...5 {
            try await send(whole, "limit-\(number)", to: "lena", more: "")
            if number <= 3 { _ = try await whole.waitForPushes(number, to: phone) }
        }
        for number in 4...5 {
            let dropped = try await whole.waitForState("dropped", of: "phone", "limit-\(number)", "lena")
            #expect(dropped["reason"]?.string == "rate_limited")
            let step = steps(dropped)["limits"]
            #expect(step?["over"]?.string == "push_rate_per_conversation_per_min")
            #expect(step?["conversation_used"]?.integer == 3 && step?["conversation_limit"]?.integer == 3)
        }
        #expect(whole.pushes(to: phone).count == 3)
    }

    @Test func `a silent wake has no text, and the budget says when it is one`() async throws {
        let whole = try WholeServer.running()
        let phone = "e000000000000003"
        try await whole.register("phone", of: "wanda", apnsToken: phone)
        try await send(
            whole, "wake-1", to: "wanda", more: #","notification":{"body":"secret","wake":true}"#)
        let push = try #require(try await whole.waitForPushes(1, to: phone).first)
        #expect(push.payload?["aps"]?["content-available"]?.integer == 1)
        #expect(push.payload?["aps"]?["alert"] == nil)
        let sent = try await whole.waitForState("notified", of: "phone", "wake-1", "wanda")
        let step = steps(sent)["wake_budget"]
        #expect(step?["used"]?.integer == 0 && step?["budget"]?.integer == 3)
        #expect(step?["silent"]?.bool == true)
    }

    @Test func `a policy that counts muted conversations is in force at once, and shown`() async throws {
        let whole = try WholeServer.running()
        func patch(_ policy: String) async throws {
            _ = try await whole.admin.json(
                .patch, "/admin/tenants/demo", Array(#"{"policy":\#(policy)}"#.utf8))
        }
        let path = "/v1/users/mona/conversations/c-mona/settings"
        _ = try await whole.backend.json(.put, path, Array(#"{"muted":true}"#.utf8))
        try await send(whole, "muted-1", to: "mona", more: "")
        let device = try whole.connect("phone", of: "mona")
        let welcome = try #require(try await device.waitFor(1, "AUTH_OK").first)
        #expect(welcome["total_unread"]?.integer == 0)
        try await patch(#"{"badge_counts_muted":true}"#)
        let shown = try #require(try await device.waitFor(1, "BADGE_UPDATE").last)
        #expect(shown["total_unread"]?.integer == 1 && shown["muted_unread"]?.integer == 1)
        try await patch(#"{"badge_counts_muted":null}"#)
        let after = try #require(try await device.waitFor(2, "BADGE_UPDATE").last)
        #expect(after["total_unread"]?.integer == 0)
        await device.stop()
    }
}
