/// Cuts requests out of a connection's bytes, one at a time; what follows a request stays buffered.
///
/// Strict on everything two parsers could read differently (RFC 9112 section 11.2). After an error every
/// further call throws it again.
package struct HTTPRequestParser: Sendable {
    private enum State: Sendable {
        case head
        case body(length: Int)
        case chunked
        case failed(HTTPParseError)
    }

    private let limits: HTTPLimits
    private var buffer = InputBuffer()
    private var state = State.head
    private var head = HTTPHeadReader()
    /// The request whose body is being read.
    private var pending: HTTPRequest?
    private var chunkedBody = HTTPChunkedBody()
    private var expectsContinue = false

    /// A parser at the start of a connection.
    package init(limits: HTTPLimits = HTTPLimits()) { self.limits = limits }

    /// Takes bytes off the wire.
    package mutating func append(_ bytes: ArraySlice<UInt8>) { buffer.append(bytes) }
    package mutating func append(_ bytes: [UInt8]) { buffer.append(bytes[...]) }

    /// The next whole request, or nil until more bytes come.
    package mutating func next() throws(HTTPParseError) -> HTTPRequest? {
        do throws(HTTPParseError) {
            if case .head = state {
                guard let bytes = try head.next(from: &buffer, limits: limits) else { return nil }
                try begin(bytes)
            }
            return try readBody()
        } catch {
            state = .failed(error)
            pending = nil
            throw error
        }
    }

    /// True while a request has begun and is not complete; the time limit for slow senders hangs on it.
    @inline(__always)
    package var isMidRequest: Bool { pending != nil || head.hasBegun || !buffer.isEmpty }

    /// True while a head is complete and its body is not.
    @inline(__always)
    package var isReadingBody: Bool { pending != nil }

    /// True once for a request that waits for `100 Continue` before its body.
    package mutating func takeExpectsContinue() -> Bool {
        defer { expectsContinue = false }
        return expectsContinue && pending != nil
    }

    /// Hands over what was received beyond the last request, when the connection changes protocol.
    package mutating func takeRemainder() -> [UInt8] { buffer.takeAll() }

    /// Bytes received and not yet consumed; the shell stops reading above a bound of its own.
    package var bufferedByteCount: Int { buffer.count }

    private mutating func begin(_ bytes: [UInt8]) throws(HTTPParseError) {
        let head = try HTTPRequestHead(bytes, limits: limits)
        pending = head.request
        expectsContinue = head.expectsContinue
        switch head.framing {
        case .none, .untilClose: state = .body(length: 0)
        case .length(let length): state = .body(length: length)
        case .chunked:
            state = .chunked
            chunkedBody = HTTPChunkedBody()
        }
    }

    private mutating func readBody() throws(HTTPParseError) -> HTTPRequest? {
        switch state {
        case .head: return nil
        case .failed(let error): throw error
        case .body(let length):
            guard buffer.count >= length else { return nil }
            return complete(with: length == 0 ? [] : buffer.take(length))
        case .chunked:
            guard try chunkedBody.read(from: &buffer, limits: limits) else { return nil }
            let body = chunkedBody.body
            chunkedBody = HTTPChunkedBody()
            return complete(with: body)
        }
    }

    private mutating func complete(with body: [UInt8]) -> HTTPRequest? {
        state = .head
        pending?.body = body
        return pending.take()
    }
}

/// A checked head and what it says of the body.
private struct HTTPRequestHead {
    var request: HTTPRequest
    var framing: HTTPFraming
    var expectsContinue: Bool

    init(_ bytes: [UInt8], limits: HTTPLimits) throws(HTTPParseError) {
        let span = bytes.span
        let line = try HTTPRequestLine(bytes)
        let fields = try HTTPFieldScanner.scan(span, from: line.end, limits: limits)
        let framingFields = try HTTPFramingFields(span, fields)
        if let host = framingFields.host {
            guard HTTPHost.isValid(span, host) else { throw .badHost }
        } else if line.isHTTP11 {
            throw .badHost
        }
        self.framing = try framingFields.framing(span, isHTTP11: line.isHTTP11, limits: limits) ?? .none
        self.expectsContinue = line.isHTTP11 && framingFields.expectsContinue(span)
        let target = try HTTPTarget(bytes[line.target], method: line.method)
        self.request = HTTPRequest(
            method: line.method, target: String(decoding: bytes[line.target], as: UTF8.self),
            pathSegments: target.pathSegments,
            query: target.query, headers: HTTPHeaders(bytes: bytes, fields: fields), isHTTP11: line.isHTTP11)
    }
}
