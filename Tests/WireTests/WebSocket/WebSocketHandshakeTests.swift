import Testing

@testable import Wire

@Suite struct WebSocketHandshakeTests {
    private static let valid: HTTPHeaders = [
        "Host": "h", "Upgrade": "WebSocket", "Connection": "keep-alive, Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Protocol": "other, rouse.v1",
    ]

    @Test func `the example of the standard is accepted`() throws {
        guard case .accepted(let headers, let subprotocol) = validate(Self.valid) else {
            Issue.record("refused")
            return
        }
        #expect(subprotocol == "rouse.v1")
        #expect(headers["Sec-WebSocket-Accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(headers["Sec-WebSocket-Protocol"] == "rouse.v1")
        #expect(headers["Upgrade"] == "websocket")
    }

    @Test(
        arguments: [
            ("Upgrade", nil, 426), ("Upgrade", "h2c", 426), ("Connection", "keep-alive", 426),
            ("Sec-WebSocket-Version", nil, 426), ("Sec-WebSocket-Version", "8", 426),
            ("Sec-WebSocket-Key", nil, 400),
            ("Sec-WebSocket-Key", "c2hvcnQ=", 400), ("Sec-WebSocket-Key", "!!!", 400),
            ("Sec-WebSocket-Protocol", "other", 400),
        ] as [(String, String?, Int)])
    func `a handshake with a fault is refused`(name: String, value: String?, status: Int) {
        var headers = Self.valid
        headers.remove(name)
        if let value { headers.add(name, value) }
        guard case .refused(let response) = validate(headers) else {
            Issue.record("accepted")
            return
        }
        #expect(response.status == status)
        #expect((response.headers["Sec-WebSocket-Version"] == "13") == (status == 426))
    }

    @Test func `another method is refused`() {
        let request = HTTPRequest(method: .post, target: "/", headers: Self.valid)
        guard case .refused(let response) = WebSocketHandshake.validate(request) else {
            Issue.record("accepted")
            return
        }
        #expect(response.status == 400)
    }

    @Test func `both sides agree over bytes`() throws {
        let key = (0..<16).map { UInt8($0) }
        var bytes: [UInt8] = []
        HTTPRequestEncoder.encode(
            method: .get, target: "/v1/gateway", host: "h",
            headers: WebSocketHandshake.requestHeaders(key: key),
            body: [], into: &bytes)
        var requests = HTTPRequestParser()
        requests.append(bytes)
        let request = try #require(try requests.next())
        guard case .accepted(let headers, _) = WebSocketHandshake.validate(request) else {
            Issue.record("refused")
            return
        }
        var answer: [UInt8] = []
        HTTPResponseEncoder.encodeInterim(status: 101, headers: headers, into: &answer)
        var responses = HTTPResponseParser()
        responses.append(answer + [0x81, 0x00])
        let response = try #require(try responses.next())
        #expect(try WebSocketHandshake.verify(response, key: key) == "rouse.v1")
        #expect(responses.takeRemainder() == [0x81, 0x00])
        #expect(throws: WebSocketError.badHandshake) {
            try WebSocketHandshake.verify(response, key: [UInt8](repeating: 0, count: 16))
        }
        #expect(throws: WebSocketError.handshakeRefused(status: 401)) {
            try WebSocketHandshake.verify(HTTPResponse(status: 401), key: key)
        }
    }

    private func validate(_ headers: HTTPHeaders) -> WebSocketHandshake.Verdict {
        WebSocketHandshake.validate(HTTPRequest(method: .get, target: "/v1/gateway", headers: headers))
    }
}
