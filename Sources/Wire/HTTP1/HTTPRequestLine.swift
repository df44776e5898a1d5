/// `METHOD SP target SP HTTP/x.y` (RFC 9112 section 3), split on exactly one space.
struct HTTPRequestLine {
    var method: HTTPMethod
    var target: Range<Int>
    var isHTTP11: Bool
    /// Where the header lines begin.
    var end: Int

    /// The longest method we bother to name.
    private static let methodBytes = 32

    init(_ head: [UInt8]) throws(HTTPParseError) {
        let bytes = head.span
        var index = 0
        while ASCII.isTokenByte(bytes[index]) { index += 1 }
        guard index > 0, index <= Self.methodBytes, bytes[index] == ASCII.space else {
            throw .malformedStartLine
        }
        self.method = HTTPMethod(bytes, 0..<index, in: head)
        let start = index + 1
        index = start
        while Self.isTargetByte(bytes[index]) { index += 1 }
        guard index > start, bytes[index] == ASCII.space else { throw .malformedStartLine }
        self.target = start..<index
        self.isHTTP11 = try HTTPVersion.isHTTP11(bytes, at: index + 1)
        self.end = index + 1 + HTTPVersion.length + 2
        guard end <= bytes.count, bytes[end - 2] == ASCII.carriageReturn, bytes[end - 1] == ASCII.lineFeed
        else { throw .malformedStartLine }
    }

    /// Visible ASCII without `#`: a fragment is never sent.
    private static func isTargetByte(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F && byte != 0x23 }
}

/// `HTTP/x.y`.
enum HTTPVersion {
    static let length = 8

    /// True for 1.1, false for 1.0; other versions throw.
    static func isHTTP11(_ bytes: Span<UInt8>, at start: Int) throws(HTTPParseError) -> Bool {
        let name: [8 of UInt8] = [0x48, 0x54, 0x54, 0x50, 0x2F, 0, ASCII.period, 0]
        guard start + length <= bytes.count else { throw .malformedStartLine }
        for offset in 0..<length {
            let byte = bytes[start + offset]
            let matches = name[offset] == 0 ? ASCII.isDigit(byte) : byte == name[offset]
            guard matches else { throw .malformedStartLine }
        }
        let major = bytes[start + 5]
        let minor = bytes[start + 7]
        guard major == ASCII.zero + 1, minor <= ASCII.zero + 1 else { throw .unsupportedVersion }
        return minor == ASCII.zero + 1
    }
}
