import Domain
import Gateway
import InMemory
import Testing
import Wire

@Suite("The gateway under attack", .timeLimit(.minutes(2)))
struct GatewayAttackTests {
    private func phone(_ server: TestServer, _ user: String = "bob") async throws -> TestConnection {
        let connection = try await server.connect()
        try await connection.upgrade()
        connection.sendText(#"{"type":"AUTH","token":"\#(try server.credential(user, "phone"))"}"#)
        #expect(try await connection.text()["type"]?.string == "AUTH_OK")
        return connection
    }

    private func send(_ server: TestServer, _ key: String, _ id: String, to user: String = "bob") async throws
    {
        let answer = try await server.call(
            .post, "/v1/messages", bearer: key, body: TestServer.message(id, to: [user]))
        #expect(answer.status == 202)
    }

    /// A frame with any first byte, masked.
    private static func raw(_ first: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
        [first, 0x80 | UInt8(payload.count), 0, 0, 0, 0] + payload
    }

    private static let broken: [(bytes: [UInt8], code: Int)] = [
        (raw(0x09), 1_002), (raw(0x08), 1_002),  // a control frame in fragments
        (raw(0x80), 1_002),  // a continuation of nothing
        (raw(0x01, [0x7b]) + raw(0x81, [0x7d]), 1_002),  // a message inside a message
        (raw(0xc1, [0x7b]), 1_002),  // compressed, without the extension
        (raw(0x83), 1_002), (raw(0x8b), 1_002),  // opcodes of nobody
        ([0x89, 0xfe, 0x00, 0x7e], 1_002),  // a ping of 126 bytes
        ([0x81, 0x7b], 1_002),  // unmasked
        ([0x81, 0xfe, 0x00, 0x05], 1_002),  // a length in too many bytes
        ([0x81, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0], 1_002),  // a length beyond all
        ([0x81, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 3, 4], 1_009),  // 64 KiB announced
        (raw(0x01, Array(repeating: 0x20, count: 100)) + [0x80, 0xfe, 0x3f, 0xf0, 0, 0, 0, 0], 1_009),
        (raw(0x81, [0xc3, 0x28]), 1_007), (raw(0x81, [0xed, 0xa0, 0x80]), 1_007),  // no UTF-8
        (raw(0x88, [0x03]), 1_002), (raw(0x88, [0x03, 0xed]), 1_002),  // half a code, 1005
        (raw(0x82, [1]), 1_008),
    ]

    @Test func `what is no frame of ours closes with its code, and the device is offline`() async throws {
        let server = try TestServer()
        let key = server.apiKey()
        for (bytes, code) in Self.broken {
            let phone = try await phone(server)
            phone.send(bytes)
            #expect(await phone.closeCode() == code, "\(bytes)")
        }
        let devices = try await server.call(.get, "/v1/users/bob/devices", bearer: key)
        #expect(devices.text.contains(#""online":false"#))
    }

    @Test func `a message in fragments, with a ping between, is one message`() async throws {
        let server = try TestServer()
        let phone = try await phone(server)
        phone.send(Self.raw(0x01, Array(#"{"type":"#.utf8)))
        phone.send(Self.raw(0x89, [1, 2]))
        phone.send(Self.raw(0x00))
        phone.send(Self.raw(0x80, Array(#""DANCE"}"#.utf8)))
        #expect(await phone.event() == .pong([1, 2]))
        #expect(try await phone.text()["code"]?.string == "unknown_type")
        phone.close()
    }

    @Test func `the longest frame that is allowed is read`() async throws {
        let server = try TestServer()
        let phone = try await phone(server)
        phone.send(
            TestConnection.frame(.text, Array(repeating: UInt8(ascii: " "), count: 16_382) + Array("{}".utf8))
        )
        #expect(try await phone.text()["code"]?.string == "missing_field")
        phone.close()
    }

    @Test func `a flood of pings is abuse`() async throws {
        let server = try TestServer()
        let phone = try await phone(server)
        // So many within one read belong to one second, or to two.
        phone.send((0..<2_000).flatMap { _ in Self.raw(0x89) })
        #expect(await phone.closeCode() == 1_008)
    }

    @Test func `a flood of renewals is abuse sooner than one of other frames`() async throws {
        let server = try TestServer()
        let phone = try await phone(server)
        let token = try server.credential("bob", "phone")
        let renewal = TestConnection.frame(.text, Array(#"{"type":"AUTH","token":"\#(token)"}"#.utf8))
        phone.send((0..<40).flatMap { _ in renewal })
        #expect(await phone.closeCode() == 1_008)
    }

    @Test func `APPLIED of any seq moves the cursor only forward and only to what is there`() async throws {
        let server = try TestServer()
        let key = server.apiKey()
        for index in 1...3 { try await send(server, key, "m-\(index)") }
        let phone = try await phone(server)
        for seq in 1...3 { #expect(try await phone.text()["mailbox_seq"]?.integer == Int64(seq)) }
        for (text, code) in [
            ("-1", "invalid_value"), ("1.5", "invalid_value"), ("1e30", "invalid_value"),
            ("9223372036854775808", "invalid_value"), ("\"2\"", "wrong_type"), ("null", "wrong_type"),
            ("9223372036854775807", "seq_beyond_head"), ("4", "seq_beyond_head"),
        ] {
            phone.sendText(#"{"type":"APPLIED","mailbox_seq":\#(text)}"#)
            #expect(try await phone.text()["code"]?.string == code, "\(text)")
        }
        #expect(server.database.appliedSeq(of: DeviceID("phone")) == 0)
        for seq in [2, 1, 0] { phone.sendText(#"{"type":"APPLIED","mailbox_seq":\#(seq)}"#) }
        phone.sendText(#"{"type":"APPLIED","mailbox_seq":4}"#)
        #expect(try await phone.text()["code"]?.string == "seq_beyond_head")
        #expect(server.database.appliedSeq(of: DeviceID("phone")) == 2)
        phone.close()
    }

    @Test func `an APPLIED beyond the head does not swallow a good one of the same read`() async throws {
        let server = try TestServer()
        let key = server.apiKey()
        try await send(server, key, "m-1")
        let phone = try await phone(server)
        _ = try await phone.text()
        let frames = [1, 99].map { #"{"type":"APPLIED","mailbox_seq":\#($0)}"# }
        phone.send(frames.flatMap { TestConnection.frame(.text, Array($0.utf8)) })
        #expect(try await phone.text()["code"]?.string == "seq_beyond_head")
        #expect(server.database.appliedSeq(of: DeviceID("phone")) == 1)
        phone.close()
    }

    @Test func `READ of a conversation that is another's, or nobody's, changes nothing`() async throws {
        let server = try TestServer()
        let key = server.apiKey()
        try await send(server, key, "m-1")
        let foreign =
            #"{"message_id":"m-2","conversation":{"id":"c-2","kind":"direct"},"sender":{"user":"alice"},"#
            + #""recipients":["eve"]}"#
        #expect(try await server.call(.post, "/v1/messages", bearer: key, body: foreign).status == 202)
        let phone = try await phone(server)
        _ = try await phone.text()
        phone.sendText(#"{"type":"READ","conversation_id":"c-2","mailbox_seq":1}"#)
        phone.sendText(#"{"type":"READ","conversation_id":"c-1","mailbox_seq":2}"#)
        #expect(try await phone.text()["code"]?.string == "seq_beyond_head")
        for (user, unread) in [("bob", 1), ("eve", 1)] {
            let badge = try await server.call(.get, "/v1/users/\(user)/badge", bearer: key)
            #expect(badge.json?["total_unread"]?.integer == Int64(unread))
        }
        #expect(server.database.entryCount == 2)
        phone.close()
    }

    @Test func `a client that half closes is offline at once`() async throws {
        let server = try TestServer()
        let key = server.apiKey()
        let phone = try await phone(server)
        phone.finish()
        #expect(await phone.event() == nil)
        let devices = try await server.call(.get, "/v1/users/bob/devices", bearer: key)
        #expect(devices.text.contains(#""online":false"#))
    }

    @Test func `an upgrade cut short at any byte leaves nobody online`() async throws {
        let server = try TestServer()
        let lines = [
            "GET /v1/gateway HTTP/1.1", "Host: a", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "", "",
        ]
        let bytes = Array(lines.joined(separator: "\r\n").utf8)
        for cut in stride(from: 1, to: bytes.count, by: 7) {
            let connection = try await server.connect()
            connection.send(Array(bytes[..<cut]))
            connection.finish()
            #expect(try await connection.answer().status == 400)
        }
        let whole = try await server.connect()
        whole.send(bytes)
        whole.finish()
        #expect(try await whole.answer().status == 101)
        #expect(await whole.event() == nil)
    }

    @Test func `what comes with the upgrade in one piece is read`() async throws {
        let server = try TestServer()
        let connection = try await server.connect()
        let head =
            "GET /v1/gateway HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
            + "Origin: https://app.example\r\nSec-WebSocket-Protocol: chat, rouse.v1\r\n"
            + "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        let frame = #"{"type":"AUTH","token":"\#(try server.credential("bob", "phone"))"}"#
        connection.send(Array(head.utf8) + TestConnection.frame(.text, Array(frame.utf8)))
        let answer = try await connection.answer()
        #expect(answer.status == 101 && answer.response.headers["Sec-WebSocket-Protocol"] == "rouse.v1")
        #expect(!answer.response.headers.contains("Sec-WebSocket-Extensions"))
        #expect(try await connection.text()["type"]?.string == "AUTH_OK")
        connection.close()
    }

    @Test func `10,000 entries for a client that never reads: 4008, and the mailbox has them all`()
        async throws
    {
        let server = try TestServer()
        let key = server.apiKey()
        let phone = try await phone(server)
        phone.pauseReading()
        let backend = try await server.connect()
        let filler = String(repeating: "x", count: 700)
        for batch in 0..<10 {
            let lines = (0..<1_000).map {
                TestServer.message("m-\(batch)-\($0)", to: ["bob"], more: #","payload":"\#(filler)""#)
            }
            let answer = try await backend.call(
                .post, "/v1/messages", bearer: key, body: lines.joined(separator: "\n"),
                type: "application/x-ndjson")
            #expect(answer.status == 200)
        }
        phone.resumeReading()
        #expect(await phone.closeCode() == 4_008)
        #expect(server.database.entryCount == 10_000)
        backend.close()
    }

    @Test func `a history far larger than the bound for slow clients is never held against one`() async throws
    {
        var settings = TestServer.calm
        settings.unsentLiveBytes = 20_000
        let server = try TestServer(gateway: settings)
        let key = server.apiKey()
        let filler = String(repeating: "x", count: 30_000)
        for index in 1...200 {
            let body = TestServer.message("m-\(index)", to: ["bob"], more: #","payload":"\#(filler)""#)
            #expect(try await server.call(.post, "/v1/messages", bearer: key, body: body).status == 202)
        }
        let phone = try await server.connect()
        try await phone.upgrade()
        phone.pauseReading()
        phone.sendText(#"{"type":"AUTH","token":"\#(try server.credential("bob", "phone"))"}"#)
        // While it reads nothing, the mailbox grows; it is caught up with, too.
        for index in 201...210 { try await send(server, key, "m-\(index)") }
        phone.resumeReading()
        #expect(try await phone.text()["type"]?.string == "AUTH_OK")
        for seq in 1...210 { #expect(try await phone.text()["mailbox_seq"]?.integer == Int64(seq)) }
        phone.close()
    }
}
