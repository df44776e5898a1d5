package import Wire

/// An answer that is an error (RFC 9457): a code of the table and one sentence about this request.
///
/// The sentence names fields, limits and ids; never a value that could be a token, a key or a text.
package struct Problem: Error, Equatable, Sendable {
    package let code: ProblemCode
    package let detail: String
    /// The methods that would be allowed, for 405.
    package var allow: String?

    package init(_ code: ProblemCode, _ detail: String, allow: String? = nil) {
        self.code = code
        self.detail = detail
        self.allow = allow
    }

    package static let contentType = "application/problem+json"
    /// A name of the caller's making is shown up to so many bytes.
    private static let shownNameBytes = 64

    static func unknownField(_ path: String) -> Problem {
        Problem(.unknownField, "\(TextLimits.truncated(path, toUTF8Bytes: shownNameBytes)) is not a field.")
    }

    static func wrongType(_ path: StaticString, _ expected: StaticString) -> Problem {
        Problem(.wrongType, "\(path) must be \(expected).")
    }

    static func missing(_ path: StaticString) -> Problem {
        Problem(.missingField, "\(path) is required.")
    }

    static func invalid(_ path: StaticString, _ why: String) -> Problem {
        Problem(.invalidValue, "\(path) \(why).")
    }

    package var response: HTTPResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "about:blank")
        writer.member("title", "\(code.title)")
        writer.member("status", code.status)
        writer.member("detail", detail)
        writer.member("code", code.rawValue)
        writer.endObject()
        var response = HTTPResponse(status: code.status, contentType: Self.contentType, body: writer.bytes)
        if let seconds = code.retryAfterSeconds { response.headers.add("Retry-After", String(seconds)) }
        if let allow { response.headers.add("Allow", allow) }
        if code.status == 401 { response.headers.add("WWW-Authenticate", "Bearer realm=\"rouse\"") }
        return response
    }
}
