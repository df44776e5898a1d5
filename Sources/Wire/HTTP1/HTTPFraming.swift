/// How the end of a body is found.
enum HTTPFraming: Equatable, Sendable {
    case none
    case length(Int)
    case chunked
    /// Responses only: the body ends where the connection does.
    case untilClose
}

/// The fields that decide framing, gathered in one walk. Repetition of any of them is refused, identical or
/// not: a proxy in front may have used the other one (RFC 9112 sections 6.1, 6.3, 11.2).
struct HTTPFramingFields {
    private(set) var host: Range<Int>?
    private var contentLength: Range<Int>?
    private var transferEncoding: Range<Int>?
    private var expect: Range<Int>?

    init(_ bytes: Span<UInt8>, _ fields: [HTTPHeaders.Field]) throws(HTTPParseError) {
        for field in fields {
            let name = HTTPHeaders.name(field)
            let value = HTTPHeaders.value(field)
            switch name.count {
            case 4 where StaticText.equalIgnoringCase(bytes, name, "host"):
                guard host == nil else { throw .badHost }
                host = value
            case 6 where StaticText.equalIgnoringCase(bytes, name, "expect"):
                expect = value
            case 14 where StaticText.equalIgnoringCase(bytes, name, "content-length"):
                guard contentLength == nil else { throw .badContentLength }
                contentLength = value
            case 17 where StaticText.equalIgnoringCase(bytes, name, "transfer-encoding"):
                guard transferEncoding == nil else { throw .conflictingFraming }
                transferEncoding = value
            default: break
            }
        }
    }

    /// The framing the fields declare, or nil if they say nothing.
    func framing(
        _ bytes: Span<UInt8>, isHTTP11: Bool, limits: HTTPLimits
    ) throws(HTTPParseError) -> HTTPFraming? {
        if let transferEncoding {
            guard contentLength == nil, isHTTP11 else { throw .conflictingFraming }
            guard StaticText.equalIgnoringCase(bytes, transferEncoding, "chunked") else {
                throw .unsupportedTransferEncoding
            }
            return .chunked
        }
        guard let contentLength else { return nil }
        return .length(try Self.length(bytes, contentLength, limit: limits.bodyBytes))
    }

    /// Whether the sender waits for `100 Continue`.
    func expectsContinue(_ bytes: Span<UInt8>) -> Bool {
        guard let expect else { return false }
        return StaticText.equalIgnoringCase(bytes, expect, "100-continue")
    }

    private static func length(
        _ bytes: Span<UInt8>, _ range: Range<Int>, limit: Int
    ) throws(HTTPParseError) -> Int {
        guard !range.isEmpty else { throw .badContentLength }
        var length = 0
        for index in range {
            guard ASCII.isDigit(bytes[index]) else { throw .badContentLength }
            guard length <= limit else { continue }
            length = length * 10 + Int(bytes[index] - ASCII.zero)
        }
        guard length <= limit else { throw .bodyTooLarge }
        return length
    }
}
