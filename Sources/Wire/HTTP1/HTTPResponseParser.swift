/// Reads responses on a client's connection.
package struct HTTPResponseParser: Sendable {
    private let limits: HTTPLimits
    private var buffer: [UInt8] = []

    /// A parser; `limits.bodyBytes` bounds the body.
    package init(limits: HTTPLimits = HTTPLimits()) { self.limits = limits }

    /// Takes bytes off the wire.
    package mutating func append(_ bytes: some Collection<UInt8>) { buffer.append(contentsOf: bytes) }

    /// The next final response, or nil until more bytes come. `toHead` tells that the request was HEAD,
    /// whose answer has no body. Interim responses other than 101 are skipped.
    package mutating func next(toHead: Bool = false) throws(HTTPParseError) -> HTTPResponse? { nil }

    /// The peer closed: completes a body that runs to the close, or throws `.truncated`; nil if no
    /// response had begun.
    package mutating func finish() throws(HTTPParseError) -> HTTPResponse? { nil }

    /// Whether the connection can carry another request after the last response.
    package private(set) var keepsAlive = true

    /// Hands over what was received beyond the last response, when the connection changes protocol.
    package mutating func takeRemainder() -> [UInt8] {
        defer { buffer = [] }
        return buffer
    }
}
