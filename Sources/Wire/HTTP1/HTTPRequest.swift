/// One whole request: the head checked, the body complete.
package struct HTTPRequest: Sendable {
    /// The method.
    package var method: HTTPMethod
    /// The request target as it stood in the request line (`/v1/users/b%2Fob?x=1`).
    package var target: String
    /// The path between slashes, percent-decoded; an encoded slash stays inside its segment. `/` has none,
    /// `/a/` is `["a", ""]`.
    package var pathSegments: [String]
    /// The query, percent-decoded.
    package var query: HTTPQuery
    /// The header fields; trailers of a chunked body are checked and dropped.
    package var headers: HTTPHeaders
    /// The body with any chunking removed.
    package var body: [UInt8]
    /// HTTP/1.1; false means 1.0.
    package var isHTTP11: Bool

    /// Puts a request together by hand, in tests and in clients.
    package init(
        method: HTTPMethod, target: String, pathSegments: [String] = [], query: HTTPQuery = HTTPQuery(),
        headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = [], isHTTP11: Bool = true
    ) {
        self.method = method
        self.target = target
        self.pathSegments = pathSegments
        self.query = query
        self.headers = headers
        self.body = body
        self.isHTTP11 = isHTTP11
    }

    /// The path of the target, still percent-encoded, without the query.
    package var path: Substring { target.prefix { $0 != "?" } }

    /// Whether the connection may serve another request after this one (RFC 9112 section 9.3).
    package var keepsAlive: Bool {
        if headers.containsToken("close", in: "Connection") { return false }
        return isHTTP11 || headers.containsToken("keep-alive", in: "Connection")
    }
}
