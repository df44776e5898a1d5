import Domain
import Gateway
import InMemory
import Testing
import Wire

@Suite("The order of what a device gets", .timeLimit(.minutes(2)))
struct GatewayOrderTests {
    private func connect(_ server: TestServer, _ more: String) async throws -> TestConnection {
        let connection = try await server.connect()
        try await connection.upgrade()
        connection.sendText(#"{"type":"AUTH","token":"\#(try server.credential("bob", "phone"))"\#(more)}"#)
        return connection
    }

    private func send(_ server: TestServer, _ ids: Range<Int>) async throws {
        let key = server.apiKey()
        let backend = try await server.connect()
        for id in ids {
            let body = TestServer.message("m-\(id)", to: ["bob"])
            #expect(try await backend.call(.post, "/v1/messages", bearer: key, body: body).status == 202)
        }
        backend.close()
    }

    /// The next entry, past the frames of state.
    private func entry(_ connection: TestConnection) async throws -> Int64? {
        while true {
            let frame = try await connection.text()
            if frame["type"]?.string == "ENTRY" { return frame["mailbox_seq"]?.integer }
            if frame["type"]?.string == "ERROR" { return nil }
        }
    }

    @Test func `between history and what is live there is no gap and no repeat`() async throws {
        var settings = TestServer.calm
        settings.catchUpPageEntries = 3
        let server = try TestServer(gateway: settings)
        try await send(server, 1..<101)
        let phone = try await connect(server, "")
        async let more: Void = send(server, 101..<301)
        #expect(try await phone.text()["type"]?.string == "AUTH_OK")
        for seq in 1...300 { #expect(try await entry(phone) == Int64(seq)) }
        try await more
        phone.close()
    }

    @Test func `another mailbox's cursor gets everything, the present one's what is above it`() async throws {
        let server = try TestServer()
        try await send(server, 1..<4)
        let first = try await connect(server, #","from":"head""#)
        let welcome = try await first.text()
        let mailbox = try #require(welcome["mailbox_id"]?.string)
        #expect(welcome["mailbox_seq"]?.integer == 3 && welcome["first_mailbox_seq"]?.integer == 1)
        try await send(server, 4..<5)
        #expect(try await entry(first) == 4)
        let known = try await connect(server, #","mailbox_id":"\#(mailbox)","applied_seq":3"#)
        #expect(try await entry(known) == 4)
        let strange = "00000000-0000-4000-8000-000000000000"
        let other = try await connect(server, #","mailbox_id":"\#(strange)","applied_seq":3"#)
        for seq in 1...4 { #expect(try await entry(other) == Int64(seq)) }
        #expect(await known.closeCode() == 4_001)
        other.close()
    }

    @Test func `an AUTH beyond the head is refused and changes nothing`() async throws {
        let server = try TestServer()
        try await send(server, 1..<3)
        let phone = try await connect(server, #","applied_seq":99"#)
        #expect(try await phone.text()["type"]?.string == "AUTH_OK")
        #expect(try await phone.text()["code"]?.string == "seq_beyond_head")
        for seq in 1...2 { #expect(try await phone.text()["mailbox_seq"]?.integer == Int64(seq)) }
        #expect(server.database.appliedSeq(of: DeviceID("phone")) == 0)
        phone.close()
    }

    @Test func `state comes merged, conversations before the badge, and never goes back`() async throws {
        let server = try TestServer()
        let phone = try await connect(server, "")
        #expect(try await phone.text()["type"]?.string == "AUTH_OK")
        async let sent: Void = send(server, 1..<101)
        var (badges, deltas, entries): ([Int64], [Int64], Int64) = ([], [], 0)
        while badges.last != 100 || entries < 100 {
            let frame = try await phone.text()
            switch frame["type"]?.string {
            case "ENTRY": entries = frame["mailbox_seq"]?.integer ?? 0
            case "SESSION_DELTA":
                let conversation = frame["conversations"]?.elements.first { _ in true }
                deltas.append(conversation?["unread"]?.integer ?? -1)
            default:
                badges.append(frame["total_unread"]?.integer ?? -1)
                #expect(deltas.last == badges.last)
                #expect(frame["badge_projection_mailbox_seq"]?.integer ?? .max <= entries)
            }
        }
        try await sent
        #expect(badges == badges.sorted() && Set(badges).count == badges.count && deltas == badges)
        phone.close()
    }

    @Test
    func `a device that replaces itself a thousand times loses nothing and is pushed nothing it applied`()
        async throws
    {
        var policy = TestServer.calmPolicy
        policy.pushMergeWindow = 0
        let server = try TestServer(policy: policy)
        let token = Hex.encode(SecureRandom.bytes(count: 32))
        let registration =
            #"{"tokens":[{"transport":"apns","token":"\#(token)","topic":"com.example.app","#
            + #""environment":"production"}]}"#
        let registered = try await server.call(
            .put, "/v1/device", bearer: server.credential("bob", "phone"), body: registration)
        #expect(registered.status == 200)
        var present = try await connect(server, "")
        // Before it is online, a message would be due at once.
        #expect(try await present.text()["type"]?.string == "AUTH_OK")
        async let sent: Void = send(server, 1..<1_001)
        var applied: Int64 = 0
        for round in 0..<1_000 {
            let next = try await connect(server, #","applied_seq":\#(applied)"#)
            let older = present
            present = next
            // Told before, an end of the older one would be the device's last.
            #expect(try await present.text()["type"]?.string == "AUTH_OK")
            // What it is given continues where it said it stands.
            if round % 3 != 0 {
                #expect(try await entry(present) == applied + 1)
                applied += 1
                present.sendText(#"{"type":"APPLIED","mailbox_seq":\#(applied)}"#)
            }
            if round % 2 == 0 { older.close() }
        }
        try await sent
        while applied < 1_000 {
            applied += 1
            #expect(try await entry(present) == applied)
        }
        present.sendText(#"{"type":"APPLIED","mailbox_seq":1000}"#)
        while server.database.appliedSeq(of: DeviceID("phone")) != 1_000 { await Task.yield() }
        #expect(server.sender.all.isEmpty)
        present.close()
    }
}
