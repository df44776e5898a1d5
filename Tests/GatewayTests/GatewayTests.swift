import Domain
import Engine
import Gateway
import InMemory
import Testing
import Wire

@Suite("The gateway", .timeLimit(.minutes(1)))
struct GatewayTests {
    private func send(_ server: TestServer, _ key: String, _ id: String, more: String = "") async throws {
        let answer = try await server.call(
            .post, "/v1/messages", bearer: key, body: TestServer.message(id, to: ["bob"], more: more))
        #expect(answer.status == 202)
    }

    private func phone(
        _ server: TestServer, _ device: String = "phone", appliedSeq: Int = 0
    ) async throws -> TestConnection {
        let connection = try await server.connect()
        try await connection.upgrade()
        connection.sendText(
            #"{"type":"AUTH","applied_seq":\#(appliedSeq),"#
                + #""token":"\#(try server.credential("bob", device))"}"#
        )
        return connection
    }

    @Test func `history comes in order, then what is live`() async throws {
        let server = try TestServer()
        let key = server.apiKey()
        for index in 1...3 {
            try await send(server, key, "m-\(index)", more: #","payload":{ "n" : \#(index) }"#)
        }
        let phone = try await phone(server, appliedSeq: 1)
        let welcome = try await phone.text()
        #expect(welcome["type"]?.string == "AUTH_OK" && welcome["mailbox_seq"]?.integer == 3)
        #expect(welcome["total_unread"]?.integer == 3 && welcome["truncated"]?.bool == false)
        for seq in 2...3 {
            let entry = try await phone.text()
            #expect(entry["type"]?.string == "ENTRY" && entry["mailbox_seq"]?.integer == Int64(seq))
            #expect(
                entry["payload"].map { String(decoding: $0.rawBytes, as: UTF8.self) } == "{ \"n\" : \(seq) }")
        }
        try await send(server, key, "m-4")
        let live = try await phone.text()
        #expect(live["message_id"]?.string == "m-4" && live["kind"]?.string == "message")
        let delta = try await phone.text()
        #expect(delta["type"]?.string == "SESSION_DELTA")
        let conversation = delta["conversations"]?.elements.first { _ in true }
        #expect(conversation?["conversation_id"]?.string == "c-1" && conversation?["unread"]?.integer == 4)
        #expect(conversation?["read_mailbox_seq"]?.integer == 0 && conversation?["muted"]?.bool == false)
        let badge = try await phone.text()
        #expect(badge["type"]?.string == "BADGE_UPDATE" && badge["total_unread"]?.integer == 4)
        phone.close()
    }

    @Test func `a long history comes in pages without a gap`() async throws {
        var settings = TestServer.calm
        settings.catchUpPageEntries = 7
        let server = try TestServer(gateway: settings)
        let lines = (1...100).map { TestServer.message("m-\($0)", to: ["bob"]) }.joined(separator: "\n")
        _ = try await server.call(
            .post, "/v1/messages", bearer: server.apiKey(), body: lines, type: "application/x-ndjson")
        let phone = try await phone(server)
        _ = try await phone.text()
        for seq in 1...100 { #expect(try await phone.text()["mailbox_seq"]?.integer == Int64(seq)) }
        phone.close()
    }

    @Test func `APPLIED and READ reach the engine`() async throws {
        let server = try TestServer()
        let key = server.apiKey()
        try await send(server, key, "m-1")
        let phone = try await phone(server)
        _ = try await phone.text()
        _ = try await phone.text()
        phone.sendText(#"{"type":"APPLIED","mailbox_seq":1}"#)
        phone.sendText(#"{"type":"READ","conversation_id":"c-1","mailbox_seq":1}"#)
        let read = try await phone.text()
        #expect(read["kind"]?.string == "read" && read["read_mailbox_seq"]?.integer == 1)
        #expect(read["device"]?.string == "phone")
        let delta = try await phone.text()
        let conversation = delta["conversations"]?.elements.first { _ in true }
        #expect(conversation?["unread"]?.integer == 0 && conversation?["read_mailbox_seq"]?.integer == 1)
        #expect(try await phone.text()["total_unread"]?.integer == 0)
        #expect(server.database.appliedSeq(of: DeviceID("phone")) == 1)
        phone.close()
    }

    @Test func `a seq above the head is an error and the connection stays`() async throws {
        let server = try TestServer()
        let phone = try await phone(server)
        _ = try await phone.text()
        phone.sendText(#"{"type":"APPLIED","mailbox_seq":7}"#)
        let error = try await phone.text()
        #expect(error["type"]?.string == "ERROR" && error["code"]?.string == "seq_beyond_head")
        phone.sendText(#"{"type":"DANCE"}"#)
        #expect(try await phone.text()["code"]?.string == "unknown_type")
        phone.close()
    }

    @Test func `frames split at every byte are the same frames`() async throws {
        let server = try TestServer()
        let connection = try await server.connect()
        try await connection.upgrade()
        let text = #"{"type":"AUTH","token":"\#(try server.credential("bob", "phone"))"}"#
        for byte in TestConnection.frame(.text, Array(text.utf8)) { connection.send([byte]) }
        #expect(try await connection.text()["type"]?.string == "AUTH_OK")
        connection.close()
    }

    @Test func `a newer connection of the device replaces the older`() async throws {
        let server = try TestServer()
        let older = try await phone(server)
        _ = try await older.text()
        let newer = try await phone(server)
        _ = try await newer.text()
        #expect(await older.closeCode() == 4_001)
        let devices = try await server.call(.get, "/v1/users/bob/devices", bearer: server.apiKey())
        #expect(devices.json?["devices"]?.elements.first { _ in true }?["online"]?.bool == true)
        newer.close()
    }

    @Test func `a signed-out device is told so`() async throws {
        let server = try TestServer()
        let phone = try await phone(server)
        _ = try await phone.text()
        _ = try await server.call(.delete, "/v1/users/bob/devices/phone", bearer: server.apiKey())
        #expect(await phone.closeCode() == 4_010)
    }

    @Test func `after a remote logout the device's credential of before is refused`() async throws {
        let server = try TestServer()
        let older = try server.credential("bob", "phone")
        let logout = try await server.call(.delete, "/v1/users/bob/devices/phone", bearer: server.apiKey())
        #expect(logout.status == 204)
        let phone = try await server.connect()
        try await phone.upgrade()
        phone.sendText(#"{"type":"AUTH","token":"\#(older)"}"#)
        #expect(await phone.closeCode() == 4_003)
        let newer = try await server.connect()
        try await newer.upgrade()
        newer.sendText(
            #"{"type":"AUTH","token":"\#(try server.credential("bob", "phone", issuedIn: 30))"}"#)
        #expect(try await newer.text()["type"]?.string == "AUTH_OK")
        newer.close()
    }

    @Test func `the header's credential is enough, and a bad one never upgrades`() async throws {
        let server = try TestServer()
        let connection = try await server.connect()
        try await connection.upgrade(bearer: server.credential("bob", "phone"))
        connection.sendText(#"{"type":"AUTH","from":"head"}"#)
        #expect(try await connection.text()["type"]?.string == "AUTH_OK")
        connection.close()
        let other = try await server.connect()
        await #expect(throws: TestConnection.Failure.self) { try await other.upgrade(bearer: "nonsense") }
        let plain = try await server.call(.get, "/v1/gateway")
        #expect(plain.status == 426 && plain.response.headers["Upgrade"] == "websocket")
    }

    @Test func `bad credentials close with their codes`() async throws {
        let server = try TestServer()
        for (frame, code) in [
            (#"{"type":"AUTH","token":"nonsense"}"#, 4_003), (#"{"type":"AUTH"}"#, 4_003),
            (#"{"type":"AUTH","token":"\#(try server.credential("bob", "phone", expiresIn: -61))"}"#, 4_004),
            (#"{"type":"APPLIED","mailbox_seq":1}"#, 1_008), ("{", 1_008),
        ] {
            let connection = try await server.connect()
            try await connection.upgrade()
            connection.sendText(frame)
            #expect(await connection.closeCode() == code, "\(frame)")
        }
    }

    @Test func `abuse of the protocol closes with its code`() async throws {
        let server = try TestServer()
        let long = Array(repeating: UInt8(ascii: "x"), count: 16_385)
        for (bytes, code) in [
            (TestConnection.frame(.text, long), 1_009), (TestConnection.frame(.binary, [1]), 1_008),
            (TestConnection.frame(.text, [0xff]), 1_007), ([0x81, 0x01, 0x41], 1_002),
        ] as [([UInt8], Int)] {
            let phone = try await phone(server)
            _ = try await phone.text()
            phone.send(bytes)
            #expect(await phone.closeCode() == code)
        }
    }

    @Test func `frames without end are abuse`() async throws {
        var settings = TestServer.calm
        settings.unusableFrames = 3
        let server = try TestServer(gateway: settings)
        let phone = try await phone(server)
        _ = try await phone.text()
        for _ in 0..<4 { phone.sendText("{}") }
        #expect(await phone.closeCode() == 1_008)
    }

    @Test func `who does not authenticate in time is closed`() async throws {
        var settings = TestServer.calm
        settings.authenticationMilliseconds = 20
        let server = try TestServer(gateway: settings)
        let connection = try await server.connect()
        try await connection.upgrade()
        #expect(await connection.closeCode() == 1_008)
    }

    @Test func `a silent connection is pinged and closed after two misses`() async throws {
        var settings = TestServer.calm
        settings.pingMilliseconds = 20
        settings.authenticationMilliseconds = 600_000
        let server = try TestServer(gateway: settings)
        // It need not have authenticated: however slow the machine, it never says a word.
        let phone = try await server.connect()
        try await phone.upgrade()
        #expect(await phone.event() == .ping([]))
        #expect(await phone.event() == .ping([]))
        #expect(await phone.event() == nil)
    }

    /// Lives, to the server, for so many seconds from now; the 60 s of skew are granted.
    private func shortLived(_ server: TestServer, _ seconds: Double) throws -> String {
        try server.credential("bob", "phone", expiresIn: seconds - 60)
    }

    @Test func `a credential runs out during the connection`() async throws {
        let server = try TestServer()
        // On a slow machine it may have run out before it is read: then a longer one is tried.
        for seconds in [0.05, 0.5, 5, 50] {
            let phone = try await server.connect()
            try await phone.upgrade()
            phone.sendText(#"{"type":"AUTH","token":"\#(try shortLived(server, seconds))"}"#)
            guard let welcome = try? await phone.text() else { continue }
            #expect(welcome["type"]?.string == "AUTH_OK")
            #expect(await phone.closeCode() == 4_004)
            return
        }
        Issue.record("never taken")
    }

    @Test func `a renewed credential's end takes the place of the former's`() async throws {
        let server = try TestServer()
        let phone = try await phone(server)
        _ = try await phone.text()
        for seconds in [0.05, 0.5, 5, 50] {
            phone.sendText(#"{"type":"AUTH","token":"\#(try shortLived(server, seconds))"}"#)
            // What follows is answered, unless the connection has ended by then.
            phone.sendText("{}")
            guard let answer = try? await phone.text() else { return #expect(await phone.event() == nil) }
            if answer["code"]?.string == "credential_expired" {
                _ = try await phone.text()
                continue
            }
            #expect(answer["code"]?.string == "missing_field")
            return #expect(await phone.closeCode() == 4_004)
        }
        Issue.record("never taken")
    }

    @Test func `a renewal that is not the same device's, or no newer, changes nothing`() async throws {
        let server = try TestServer()
        let phone = try await phone(server)
        _ = try await phone.text()
        for (token, code) in [
            ("bad", "bad_credential"), (try server.credential("eve", "phone"), "forbidden"),
            (try server.credential("bob", "phone", expiresIn: -61), "credential_expired"),
            (try server.credential("bob", "phone", issuedIn: -500), "bad_credential"),
        ] {
            phone.sendText(#"{"type":"AUTH","token":"\#(token)"}"#)
            #expect(try await phone.text()["code"]?.string == code)
        }
        phone.sendText(#"{"type":"AUTH"}"#)
        #expect(try await phone.text()["code"]?.string == "missing_field")
        try await send(server, server.apiKey(), "m-1")
        #expect(try await phone.text()["message_id"]?.string == "m-1")
        phone.close()
    }

    @Test func `a client that does not read is closed and loses nothing`() async throws {
        var settings = TestServer.calm
        settings.unsentLiveBytes = 100_000
        let server = try TestServer(gateway: settings)
        let key = server.apiKey()
        let phone = try await phone(server)
        _ = try await phone.text()
        phone.pauseReading()
        let filler = String(repeating: "x", count: 60_000)
        var devices = try await server.call(.get, "/v1/users/bob/devices", bearer: key)
        var sent = 0
        while devices.text.contains(#""online":true"#), sent < 500 {
            sent += 1
            try await send(server, key, "m-\(sent)", more: #","payload":"\#(filler)""#)
            devices = try await server.call(.get, "/v1/users/bob/devices", bearer: key)
        }
        #expect(sent < 500)
        phone.resumeReading()
        #expect(await phone.closeCode() == 4_008)
        #expect(server.database.entryCount == sent)
    }

    @Test func `a planned drain says going away`() async throws {
        let server = try TestServer()
        let phone = try await phone(server)
        _ = try await phone.text()
        await server.gateway.drain()
        #expect(await phone.closeCode() == 1_001)
    }

    @Test func `after a lost commit the device gets everything once`() async throws {
        let server = try TestServer()
        let key = server.apiKey()
        let phone = try await phone(server)
        _ = try await phone.text()
        server.database.isAway = true
        let body = TestServer.message("m-1", to: ["bob"])
        #expect(try await server.call(.post, "/v1/messages", bearer: key, body: body).status == 503)
        server.database.isAway = false
        var status = 503
        while status == 503 {
            status = try await server.call(.post, "/v1/messages", bearer: key, body: body).status
        }
        try await send(server, key, "m-2")
        var ids: [String] = []
        while ids.count < 2 {
            let frame = try await phone.text()
            if let id = frame["message_id"]?.string { ids.append(id) }
        }
        #expect(ids == ["m-1", "m-2"])
        phone.close()
    }

    private func register(_ server: TestServer, _ device: String) async throws {
        let token = Hex.encode(SecureRandom.bytes(count: 32))
        let body =
            #"{"tokens":[{"transport":"apns","token":"\#(token)","topic":"com.example.app","#
            + #""environment":"production"}]}"#
        let answer = try await server.call(
            .put, "/v1/device", bearer: server.credential("bob", device), body: body)
        #expect(answer.status == 200)
    }

    private func trace(_ server: TestServer, _ key: String, _ id: String) async throws -> JSONNode? {
        let answer = try await server.call(.get, "/v1/messages/\(id)/trace?user=bob", bearer: key)
        return answer.json?["devices"]?.elements.first { _ in true }
    }

    @Test func `a written entry is evidence that extends the hold, an applied one ends it`() async throws {
        let server = try TestServer()
        let key = server.apiKey()
        try await register(server, "phone")
        let phone = try await phone(server)
        _ = try await phone.text()
        try await send(server, key, "m-1")
        _ = try await phone.text()
        var steps: [String] = []
        while !steps.contains("extended") {
            steps =
                try await trace(server, key, "m-1")?["trace"]?.elements.compactMap { $0["step"]?.string }
                ?? []
        }
        #expect(steps.contains("held") && steps.contains("pushed"))
        phone.sendText(#"{"type":"APPLIED","mailbox_seq":1}"#)
        var state: String?
        while state != "applied" { state = try await trace(server, key, "m-1")?["state"]?.string }
        #expect(server.sender.all.isEmpty)
        phone.close()
    }

    @Test func `the end of a connection makes what it had not applied due at once`() async throws {
        var policy = TestServer.calmPolicy
        policy.pushMergeWindow = 0
        let server = try TestServer(policy: policy)
        try await register(server, "phone")
        let phone = try await phone(server)
        _ = try await phone.text()
        try await send(server, server.apiKey(), "m-1")
        #expect(try await phone.text()["message_id"]?.string == "m-1")
        phone.close()
        #expect(await server.sender.first().draft.alert?.message.id == MessageID("m-1"))
    }

    @Test func `a planned drain rings nobody`() async throws {
        var policy = TestServer.calmPolicy
        policy.pushMergeWindow = 0
        let server = try TestServer(policy: policy)
        let key = server.apiKey()
        try await register(server, "phone")
        let phone = try await phone(server)
        _ = try await phone.text()
        try await send(server, key, "m-1")
        _ = try await phone.text()
        await server.gateway.drain()
        #expect(await phone.closeCode() == 1_001)
        #expect(try await trace(server, key, "m-1")?["state"]?.string == "held")
        #expect(server.sender.all.isEmpty)
    }
}
