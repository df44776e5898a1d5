/// Finds the end of a message head in bytes that come piece by piece, looking at each byte once.
///
/// It already refuses what must not wait for the end: bare line feeds and lines over their limit.
struct HTTPHeadReader: Sendable {
    /// Offsets from the buffer's position.
    private var scanned = 0
    private var lineStart = 0
    private var startLineEnd: Int?
    private var skippedBlankLine = false

    /// Whether part of a head has been seen.
    var hasBegun: Bool { scanned > 0 || skippedBlankLine }

    /// The whole head with its last blank line, consumed from the buffer; nil until it is there. One blank
    /// line before a head is skipped (RFC 9112 section 2.2).
    mutating func next(
        from buffer: inout InputBuffer, limits: HTTPLimits
    ) throws(HTTPParseError) -> [UInt8]? {
        while let lineFeed = Self.lineFeed(in: buffer.bytes, from: buffer.position + scanned) {
            let offset = lineFeed - buffer.position
            guard offset > lineStart, buffer.bytes[lineFeed - 1] == ASCII.carriageReturn else {
                throw .bareLineBreak
            }
            scanned = offset + 1
            if offset - 1 > lineStart {
                try endLine(at: scanned, limits: limits)
            } else if startLineEnd != nil {
                return try takeHead(from: &buffer, limits: limits)
            } else {
                try skipBlankLine(in: &buffer)
            }
        }
        scanned = buffer.count
        try checkLimits(limits)
        return nil
    }

    private mutating func endLine(at end: Int, limits: HTTPLimits) throws(HTTPParseError) {
        lineStart = end
        if startLineEnd == nil {
            guard end - 2 <= limits.startLineBytes else { throw .startLineTooLong }
            startLineEnd = end
        }
    }

    private mutating func takeHead(
        from buffer: inout InputBuffer, limits: HTTPLimits
    ) throws(HTTPParseError) -> [UInt8] {
        try checkLimits(limits)
        let head = buffer.take(scanned)
        self = HTTPHeadReader()
        return head
    }

    private mutating func skipBlankLine(in buffer: inout InputBuffer) throws(HTTPParseError) {
        guard !skippedBlankLine else { throw .malformedStartLine }
        buffer.consume(scanned)
        self = HTTPHeadReader()
        skippedBlankLine = true
    }

    private func checkLimits(_ limits: HTTPLimits) throws(HTTPParseError) {
        if let startLineEnd {
            guard scanned - startLineEnd <= limits.headerBytes + 2 else { throw .headersTooLarge }
        } else {
            guard scanned <= limits.startLineBytes + 1 else { throw .startLineTooLong }
        }
    }

    private static func lineFeed(in bytes: [UInt8], from start: Int) -> Int? {
        let index = ByteScan.lineFeed(bytes.span, from: start)
        return index < bytes.count ? index : nil
    }
}
