/// The opening handshake (RFC 6455 section 4), both sides, without I/O.
package enum WebSocketHandshake {
    /// What a server makes of an upgrade request.
    package enum Verdict: Sendable {
        /// Answer with these fields and status 101, then speak frames.
        case accepted(HTTPHeaders, subprotocol: String?)
        /// Answer with this response and stay HTTP (400; 426 with the version we speak).
        case refused(HTTPResponse)
    }

    /// Checks a request: GET, HTTP/1.1, `Upgrade`, `Connection`, version 13, a 16-byte key. The first subprotocol of
    /// the client that the server speaks is chosen; if the server demands one and none fits, 400.
    package static func validate(_ request: HTTPRequest, subprotocols: [String] = ["rouse.v1"]) -> Verdict {
        .refused(HTTPResponse(status: 400))
    }

    /// The fields of a client's request; `key` is 16 random bytes from the caller.
    package static func requestHeaders(key: [UInt8], subprotocols: [String] = ["rouse.v1"]) -> HTTPHeaders {
        HTTPHeaders()
    }

    /// Checks a server's answer to the request made with `key`.
    package static func verify(
        _ response: HTTPResponse, key: [UInt8], subprotocols: [String] = ["rouse.v1"]
    ) throws(WebSocketError) -> String? { nil }
}
