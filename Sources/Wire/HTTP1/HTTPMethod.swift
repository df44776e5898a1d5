/// A request method; the ones the interface knows are cases, any other token is kept as text.
package enum HTTPMethod: Hashable, Sendable {
    case get
    case head
    case post
    case put
    case patch
    case delete
    case options
    case other(String)

    /// The method as it stands in the request line.
    package var text: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .other(let text): text
        }
    }

    /// Methods are case-sensitive (RFC 9110 section 9.1): `get` is `.other("get")`.
    package init(_ text: String) {
        switch text {
        case "GET": self = .get
        case "HEAD": self = .head
        case "POST": self = .post
        case "PUT": self = .put
        case "PATCH": self = .patch
        case "DELETE": self = .delete
        case "OPTIONS": self = .options
        default: self = .other(text)
        }
    }

    /// The method in a part of a request line.
    init(_ bytes: Span<UInt8>, _ range: Range<Int>, in head: [UInt8]) {
        if StaticText.equal(bytes, range, "GET") {
            self = .get
        } else if StaticText.equal(bytes, range, "POST") {
            self = .post
        } else {
            self.init(String(decoding: head[range], as: UTF8.self))
        }
    }
}
