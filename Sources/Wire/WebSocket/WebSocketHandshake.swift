/// The opening handshake (RFC 6455 section 4), both sides, without I/O.
package enum WebSocketHandshake {
    /// What a server makes of an upgrade request.
    package enum Verdict: Sendable {
        /// Answer with these fields and status 101, then speak frames.
        case accepted(HTTPHeaders, subprotocol: String?)
        /// Answer with this response and stay HTTP (400; 426 with the version we speak).
        case refused(HTTPResponse)
    }

    private static let version = "13"
    private static let keyBytes = 16
    /// The GUID of RFC 6455 section 1.3.
    private static let acceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// Checks a request: GET, HTTP/1.1, `Upgrade`, `Connection`, version 13, one 16-byte key. The first
    /// subprotocol the client offers that the server speaks is chosen; a client that offers only others gets
    /// 400, one that offers none speaks without.
    package static func validate(
        _ request: HTTPRequest, subprotocols: [String] = ["rouse.v1"]
    ) -> Verdict {
        guard request.method == .get, request.isHTTP11, request.body.isEmpty else {
            return refusal(400, "A WebSocket opens with a GET of HTTP/1.1 without a body.")
        }
        guard request.headers.containsToken("websocket", in: "Upgrade"),
            request.headers.containsToken("upgrade", in: "Connection")
        else { return refusal(426, "This resource speaks WebSocket only.") }
        guard request.headers.values("Sec-WebSocket-Version") == [version] else {
            return refusal(426, "Only version 13 of WebSocket is spoken.")
        }
        let keys = request.headers.values("Sec-WebSocket-Key")
        guard keys.count == 1, Base64.decode(keys[0])?.count == keyBytes else {
            return refusal(400, "Sec-WebSocket-Key must be 16 bytes in base64, once.")
        }
        let offered = request.headers.listTokens("Sec-WebSocket-Protocol")
        let chosen = offered.first(where: subprotocols.contains)
        guard offered.isEmpty || chosen != nil else {
            return refusal(400, "None of the offered subprotocols is spoken here.")
        }
        return .accepted(answerHeaders(key: keys[0], subprotocol: chosen), subprotocol: chosen)
    }

    /// The fields of a client's request; `key` is 16 random bytes from the caller.
    package static func requestHeaders(
        key: [UInt8], subprotocols: [String] = ["rouse.v1"]
    ) -> HTTPHeaders {
        var headers: HTTPHeaders = [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": version,
            "Sec-WebSocket-Key": Base64.encode(key),
        ]
        if !subprotocols.isEmpty {
            headers.add("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", "))
        }
        return headers
    }

    /// Checks a server's answer to the request made with `key` and gives the subprotocol it chose.
    package static func verify(
        _ response: HTTPResponse, key: [UInt8], subprotocols: [String] = ["rouse.v1"]
    ) throws(WebSocketError) -> String? {
        guard response.status == 101 else { throw .handshakeRefused(status: response.status) }
        let headers = response.headers
        guard headers.containsToken("websocket", in: "Upgrade"),
            headers.containsToken("upgrade", in: "Connection"),
            headers.values("Sec-WebSocket-Accept") == [acceptValue(key: Base64.encode(key))],
            !headers.contains("Sec-WebSocket-Extensions")
        else { throw .badHandshake }
        let chosen = headers.values("Sec-WebSocket-Protocol")
        guard chosen.count <= 1, chosen.allSatisfy(subprotocols.contains) else { throw .badHandshake }
        return chosen.first
    }

    /// The proof that the server read the key: base64 of SHA-1 over the key's text and the GUID.
    static func acceptValue(key: String) -> String {
        Base64.encode(SHA1.hash(Array((key + acceptSuffix).utf8)))
    }

    private static func answerHeaders(key: String, subprotocol: String?) -> HTTPHeaders {
        var headers: HTTPHeaders = [
            "Upgrade": "websocket", "Connection": "Upgrade",
            "Sec-WebSocket-Accept": acceptValue(key: key),
        ]
        if let subprotocol { headers.add("Sec-WebSocket-Protocol", subprotocol) }
        return headers
    }

    private static func refusal(_ status: Int, _ detail: String) -> Verdict {
        var problem = JSONWriter()
        problem.beginObject()
        problem.member("type", "about:blank")
        problem.member("title", "\(HTTPResponse.reasonPhrase(status))")
        problem.member("status", status)
        problem.member("detail", detail)
        problem.member("code", "bad_upgrade")
        problem.endObject()
        var response = HTTPResponse(
            status: status, contentType: "application/problem+json", body: problem.bytes)
        if status == 426 {
            response.headers.add("Upgrade", "websocket")
            response.headers.add("Sec-WebSocket-Version", version)
        }
        return .refused(response)
    }
}
