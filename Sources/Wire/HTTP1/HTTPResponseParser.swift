/// Reads responses on a client's connection.
package struct HTTPResponseParser: Sendable {
    private enum State: Sendable {
        case head
        case body(HTTPFraming)
        case failed(HTTPParseError)
    }

    private let limits: HTTPLimits
    private var buffer = InputBuffer()
    private var state = State.head
    private var head = HTTPHeadReader()
    /// The response whose body is being read.
    private var pending: HTTPResponse?
    private var chunkedBody = HTTPChunkedBody()

    /// A parser; `limits.bodyBytes` bounds the body.
    package init(limits: HTTPLimits = HTTPLimits()) { self.limits = limits }

    /// Whether the connection can carry another request after the last response.
    package private(set) var keepsAlive = true

    /// Takes bytes off the wire.
    package mutating func append(_ bytes: ArraySlice<UInt8>) { buffer.append(bytes) }
    package mutating func append(_ bytes: [UInt8]) { buffer.append(bytes[...]) }

    /// The next final response, or nil until more bytes come. `toHead` tells that the request was HEAD,
    /// whose answer has no body. Interim responses other than 101 are skipped.
    package mutating func next(toHead: Bool = false) throws(HTTPParseError) -> HTTPResponse? {
        do throws(HTTPParseError) {
            while case .head = state {
                guard let bytes = try head.next(from: &buffer, limits: limits) else { return nil }
                try begin(bytes, toHead: toHead)
            }
            return try readBody()
        } catch {
            state = .failed(error)
            pending = nil
            throw error
        }
    }

    /// The peer closed: completes a body that runs to the close, or throws `.truncated`; nil if no
    /// response had begun.
    package mutating func finish() throws(HTTPParseError) -> HTTPResponse? {
        switch state {
        case .head where buffer.isEmpty: return nil
        case .body(.untilClose): return complete(with: buffer.takeAll())
        case .failed(let error): throw error
        case .head, .body: throw .truncated
        }
    }

    /// Hands over what was received beyond the last response, when the connection changes protocol.
    package mutating func takeRemainder() -> [UInt8] { buffer.takeAll() }

    private mutating func begin(_ bytes: [UInt8], toHead: Bool) throws(HTTPParseError) {
        let span = bytes.span
        let line = try HTTPStatusLine(bytes)
        let fields = try HTTPFieldScanner.scan(span, from: line.end, limits: limits)
        if line.status < 200, line.status != 101 { return }
        let declared = try HTTPFramingFields(span, fields)
            .framing(span, isHTTP11: line.isHTTP11, limits: limits)
        let bodiless = toHead || line.status < 200 || line.status == 204 || line.status == 304
        let framing = bodiless ? .none : declared ?? .untilClose
        let headers = HTTPHeaders(bytes: bytes, fields: fields)
        keepsAlive =
            framing != .untilClose && !headers.containsToken("close", in: "Connection")
            && (line.isHTTP11 || headers.containsToken("keep-alive", in: "Connection"))
        pending = HTTPResponse(status: line.status, headers: headers)
        chunkedBody = HTTPChunkedBody()
        state = .body(framing)
    }

    private mutating func readBody() throws(HTTPParseError) -> HTTPResponse? {
        switch state {
        case .head: return nil
        case .failed(let error): throw error
        case .body(.none): return complete(with: [])
        case .body(.length(let length)):
            guard buffer.count >= length else { return nil }
            return complete(with: buffer.take(length))
        case .body(.chunked):
            guard try chunkedBody.read(from: &buffer, limits: limits) else { return nil }
            return complete(with: chunkedBody.body)
        case .body(.untilClose):
            guard buffer.count <= limits.bodyBytes else { throw .bodyTooLarge }
            return nil
        }
    }

    private mutating func complete(with body: [UInt8]) -> HTTPResponse? {
        state = .head
        pending?.body = body
        return pending.take()
    }
}

/// `HTTP/x.y SP status SP reason`; the reason may be missing, and so may its space.
private struct HTTPStatusLine {
    var status: Int
    var isHTTP11: Bool
    var end: Int

    init(_ head: [UInt8]) throws(HTTPParseError) {
        let bytes = head.span
        self.isHTTP11 = try HTTPVersion.isHTTP11(bytes, at: 0)
        guard let lineFeed = head.firstIndex(of: ASCII.lineFeed) else { throw .malformedStartLine }
        let rest = head[HTTPVersion.length..<(lineFeed - 1)]
        let code = rest.dropFirst().prefix(3)
        guard rest.first == ASCII.space, code.count == 3, code.allSatisfy(ASCII.isDigit) else {
            throw .malformedStartLine
        }
        self.status = code.reduce(0) { $0 * 10 + Int($1 - ASCII.zero) }
        let reason = rest.dropFirst(4)
        guard (100...599).contains(status), reason.isEmpty || reason.first == ASCII.space else {
            throw .malformedStartLine
        }
        guard reason.allSatisfy({ !ASCII.isControl($0) || $0 == ASCII.tab }) else {
            throw .malformedStartLine
        }
        self.end = lineFeed + 1
    }
}
