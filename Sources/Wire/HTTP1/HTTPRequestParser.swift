/// Cuts requests out of a connection's bytes, one at a time; what follows a request stays buffered.
///
/// Strict on everything two parsers could read differently (RFC 9112 section 11.2). After an error every
/// further call throws it again.
package struct HTTPRequestParser: Sendable {
    private let limits: HTTPLimits
    private var buffer: [UInt8] = []

    /// A parser at the start of a connection.
    package init(limits: HTTPLimits = HTTPLimits()) { self.limits = limits }

    /// Takes bytes off the wire.
    package mutating func append(_ bytes: some Collection<UInt8>) { buffer.append(contentsOf: bytes) }

    /// The next whole request, or nil until more bytes come.
    package mutating func next() throws(HTTPParseError) -> HTTPRequest? { nil }

    /// True while a request has begun and is not complete; the time limit for slow senders hangs on it.
    package var isMidRequest: Bool { !buffer.isEmpty }

    /// True once for a request that waits for `100 Continue` before its body.
    package mutating func takeExpectsContinue() -> Bool { false }

    /// Hands over what was received beyond the last request, when the connection changes protocol.
    package mutating func takeRemainder() -> [UInt8] {
        defer { buffer = [] }
        return buffer
    }

    /// Bytes received and not yet consumed; the shell stops reading above a bound of its own.
    package var bufferedByteCount: Int { buffer.count }
}
