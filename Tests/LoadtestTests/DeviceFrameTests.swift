import Testing
import Wire

@testable import RouseLoadtest

@Suite struct DeviceFrameTests {
    private func parsed(_ text: String) -> ServerFrame? { ServerFrame(parsing: Array(text.utf8)) }

    @Test func `an ENTRY tells its seq, its message and when that was sent`() throws {
        let frame = parsed(
            """
            {"type":"ENTRY","kind":"message","mailbox_seq":7,"message_id":"m-0000000042",
             "payload":{"client_time":"00000000000000001234"}}
            """)
        guard case .entry(let entry)? = frame else { throw Unexpected() }
        #expect(entry.seq == 7)
        #expect(entry.messageNumber == 42)
        #expect(entry.sentAt == 1_234)
    }

    @Test(arguments: ["other", "m-x", "m-99999999999"])
    func `a message that is none of the harness's has no number`(id: String) {
        let entry = ServerFrame.Entry(seq: 1, kind: "message", messageID: id, sentAt: nil)
        #expect(entry.messageNumber == -1)
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"type":"ENTRY","kind":"message"}"#, #"{"type":"AUTH_OK","connection":"1"}"#,
        #"{"type":"BADGE_UPDATE","total_unread":1}"#, #"{"type":"CALL"}"#,
    ])
    func `a frame that lacks what the contract asks for is none`(text: String) {
        #expect(parsed(text) == nil)
    }

    @Test func `a type that is not known is named`() throws {
        guard case .other("ELSE")? = parsed(#"{"type":"ELSE"}"#) else { throw Unexpected() }
    }

    @Test func `frames about a call name it`() throws {
        guard
            case .call("CALL_CANCELLED", id: "c-1")? = parsed(
                #"{"type":"CALL_CANCELLED","call_id":"c-1","reason":"answered"}"#)
        else { throw Unexpected() }
    }

    @Test func `AUTH names the mailbox and what was applied, or asks for the head`() throws {
        let id = UUIDBytes(high: 1, low: 2)
        let again = DeviceFrame.authenticate(token: "t", mailbox: id, appliedSeq: 9, isFromHead: false)
        let root = try JSONDocument(parsing: again).root
        #expect(root["mailbox_id"]?.string == id.text)
        #expect(root["applied_seq"]?.integer == 9)
        #expect(root["from"] == nil)
        let head = DeviceFrame.authenticate(token: "t", mailbox: nil, appliedSeq: 0, isFromHead: true)
        let first = try JSONDocument(parsing: head).root
        #expect(first["from"]?.string == "head")
        #expect(first["applied_seq"] == nil)
    }

    private struct Unexpected: Error {}
}

@Suite struct UpgradeHandshakeTests {
    /// What a server answers to the request that the handshake sends.
    private func answer(_ handshake: UpgradeHandshake, choosing: Bool = true) throws -> [UInt8] {
        var parser = HTTPRequestParser()
        parser.append(handshake.request)
        let request = try #require(try parser.next())
        #expect(request.headers.values("Sec-WebSocket-Protocol") == ["rouse.v1"])
        guard case .accepted(let headers, _) = WebSocketHandshake.validate(request) else { return [] }
        let accept = try #require(headers["Sec-WebSocket-Accept"])
        let chosen = choosing ? "Sec-WebSocket-Protocol: rouse.v1\r\n" : ""
        let head = """
            HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
            Sec-WebSocket-Accept: \(accept)\r\n\(chosen)\r\n
            """
        return Array(head.utf8)
    }

    @Test func `an upgrade is taken wherever its bytes are split, with what follows`() throws {
        let count = try answer(UpgradeHandshake(host: "h")).count
        for split in 0..<count {
            let handshake = UpgradeHandshake(host: "h")
            let bytes = try answer(handshake) + [0x81, 0x00]
            #expect(handshake.take(bytes[..<split]) == .unfinished)
            #expect(handshake.take(bytes[split...]) == .upgraded(rest: [0x81, 0x00]))
        }
    }

    @Test func `a refusal tells its status`() {
        let text = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nfull"
        #expect(
            UpgradeHandshake(host: "h").take(Array(text.utf8)[...])
                == .refused(status: 503, reason: "full"))
    }

    @Test func `an answer to another key, without the subprotocol or no answer is refused`() throws {
        let strange = UpgradeHandshake(host: "h").take(try answer(UpgradeHandshake(host: "h"))[...])
        let mute = UpgradeHandshake(host: "h")
        let without = mute.take(try answer(mute, choosing: false)[...])
        let garbage = UpgradeHandshake(host: "h").take(Array("garbage\r\n\r\n".utf8)[...])
        for progress in [strange, without, garbage] {
            guard case .refused = progress else {
                Issue.record("\(progress)")
                continue
            }
        }
    }
}
