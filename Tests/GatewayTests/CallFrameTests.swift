import Domain
import Engine
import InMemory
import Testing
import Wire

/// CALL, CALL_CANCELLED, and what devices say of calls.
@Suite("Calls over the gateway", .timeLimit(.minutes(1)))
struct CallFrameTests {
    private let server: TestServer
    private let key: String

    init() throws {
        server = try TestServer()
        key = server.apiKey()
    }

    private func connect(_ device: String, _ more: String = "") async throws -> TestConnection {
        let connection = try await server.connect()
        try await connection.upgrade()
        connection.sendText(
            #"{"type":"AUTH","token":"\#(try server.credential("bob", device))"\#(more)}"#)
        #expect(try await connection.text()["type"]?.string == "AUTH_OK")
        return connection
    }

    private func ring(_ id: String, more: String = "") async throws {
        let answer = try await server.call(
            .post, "/v1/calls", bearer: key,
            body: #"{"call_id":"\#(id)","caller":{"user":"alice","name":"Alice"},"callees":["bob"],"#
                + #""video":true,"ttl_s":600\#(more)}"#)
        #expect(answer.status == 202)
    }

    private func register(_ device: String, voIP token: String) async throws {
        let tokens =
            #"{"tokens":[{"transport":"apns_voip","token":"\#(token)000000000000","topic":"com.example.app","#
            + #""environment":"production"}]}"#
        let answer = try await server.call(
            .put, "/v1/users/bob/devices/\(device)", bearer: key, body: tokens)
        #expect(answer.status == 200)
    }

    @Test func `a connected device is told of the call, whole`() async throws {
        let phone = try await connect("phone")
        try await ring("k-1", more: #","data":{ "room" : 7 },"conversation_id":"c-1""#)
        let call = try await phone.text()
        #expect(call["type"]?.string == "CALL" && call["call_id"]?.string == "k-1")
        #expect(call["caller"]?["user"]?.string == "alice" && call["caller"]?["name"]?.string == "Alice")
        #expect(call["video"]?.bool == true && call["conversation_id"]?.string == "c-1")
        #expect(call["data"].map { String(decoding: $0.rawBytes, as: UTF8.self) } == "{ \"room\" : 7 }")
        #expect(call["expires_at"]?.string?.hasSuffix("Z") == true)
        phone.close()
    }

    @Test func `a pending call comes after the catch-up and before what is live`() async throws {
        for id in 1...3 {
            _ = try await server.call(
                .post, "/v1/messages", bearer: key, body: TestServer.message("m-\(id)", to: ["bob"]))
        }
        try await ring("k-1")
        let phone = try await connect("phone")
        for seq in 1...3 { #expect(try await phone.text()["mailbox_seq"]?.integer == Int64(seq)) }
        #expect(try await phone.text()["type"]?.string == "CALL")
        phone.close()
        let tablet = try await connect("tablet", #","from":"head""#)
        #expect(try await tablet.text()["type"]?.string == "CALL")
        tablet.close()
    }

    @Test func `answered on one device, the others are told and the answer stands`() async throws {
        let phone = try await connect("phone")
        let tablet = try await connect("tablet")
        try await ring("k-1")
        for device in [phone, tablet] { #expect(try await device.text()["type"]?.string == "CALL") }
        phone.sendText(#"{"type":"CALL_ANSWERED","call_id":"k-1"}"#)
        let told = try await tablet.text()
        #expect(told["type"]?.string == "CALL_CANCELLED" && told["call_id"]?.string == "k-1")
        #expect(told["reason"]?.string == "answered_elsewhere")
        tablet.sendText(#"{"type":"CALL_ANSWERED","call_id":"k-1"}"#)
        #expect(try await tablet.text()["reason"]?.string == "answered_elsewhere")
        let state = try await server.call(
            .get, "/v1/calls/k-1", bearer: server.credential("bob", "tablet"))
        #expect(state.json?["state"]?.string == "answered")
        #expect(state.json?["answered_by"]?.string == "phone")
        // What ends next comes next: the phone was told nothing of its own answer.
        try await ring("k-2")
        #expect(try await phone.text()["call_id"]?.string == "k-2")
        phone.close()
        tablet.close()
    }

    @Test func `the backend's word is told with its reason`() async throws {
        let phone = try await connect("phone")
        try await ring("k-1")
        _ = try await phone.text()
        _ = try await server.call(
            .post, "/v1/calls/k-1/cancel", bearer: key, body: #"{"reason":"hung_up"}"#)
        let told = try await phone.text()
        #expect(told["type"]?.string == "CALL_CANCELLED" && told["reason"]?.string == "hung_up")
        phone.close()
    }

    @Test func `a connection that closes with the call not applied is pushed at once`() async throws {
        try await register("phone", voIP: "ba01")
        let phone = try await connect("phone")
        try await ring("k-1")
        _ = try await phone.text()
        #expect(server.sender.all.isEmpty)
        phone.close()
        let push = await server.sender.first()
        #expect(push.draft.kind == .call && push.channel.transport == .apnsVoIP)
    }

    @Test func `a call that is applied is not pushed when the connection closes`() async throws {
        try await register("phone", voIP: "bb01")
        let phone = try await connect("phone")
        try await ring("k-1")
        _ = try await phone.text()
        phone.sendText(#"{"type":"CALL_APPLIED","call_id":"k-1"}"#)
        phone.finish()
        // The next call's push is the first one: what was applied has made none.
        while try await isOnline("phone") {}
        try await ring("k-2")
        guard case .call(let call) = await server.sender.first().draft.content else {
            Issue.record("something else than a call was pushed")
            return
        }
        #expect(call.callID == CallID("k-2"))
    }

    private func isOnline(_ device: String) async throws -> Bool {
        let devices = try await server.call(.get, "/v1/users/bob/devices", bearer: key)
        return devices.json?["devices"]?.elements.first { $0["device"]?.string == device }?["online"]?.bool
            == true
    }

    static let unusable: [(String, String)] = [
        (#"{"type":"CALL_APPLIED"}"#, "missing_field"),
        (#"{"type":"CALL_ANSWERED","call_id":7}"#, "wrong_type"),
        (#"{"type":"CALL_ANSWERED","call_id":""}"#, "invalid_value"),
        (#"{"type":"CALL_APPLIED","call_id":"k","more":1}"#, "unknown_field"),
        (#"{"type":"CALL_ANSWERED","call_id":"never"}"#, "no_such_call"),
    ]

    @Test(arguments: unusable)
    func `a frame that cannot be used is told so and the connection stays`(
        _ frame: String, _ code: String
    ) async throws {
        let phone = try await connect("phone")
        phone.sendText(frame)
        let error = try await phone.text()
        #expect(error["type"]?.string == "ERROR" && error["code"]?.string == code)
        phone.close()
    }

    @Test func `what is applied of no call at all is no fault`() async throws {
        let phone = try await connect("phone")
        phone.sendText(#"{"type":"CALL_APPLIED","call_id":"never"}"#)
        try await ring("k-1")
        #expect(try await phone.text()["type"]?.string == "CALL")
        phone.close()
    }
}
