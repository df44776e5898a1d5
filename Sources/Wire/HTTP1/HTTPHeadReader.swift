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
            if startLineEnd == nil { try checkStartLine(buffer.bytes, buffer.position, offset - 1) }
            scanned = offset + 1
            if offset - 1 > lineStart {
                try endLine(at: scanned, limits: limits)
            } else if startLineEnd != nil {
                return try takeHead(from: &buffer, limits: limits)
            } else {
                try skipBlankLine(in: &buffer)
            }
        }
        if startLineEnd == nil { try checkStartLine(buffer.bytes, buffer.position, buffer.count - 1) }
        scanned = buffer.count
        try checkLimits(limits)
        return nil
    }

    /// What is no text is told at once, not when a line end never comes. The byte at `end` may be a CR.
    private func checkStartLine(
        _ bytes: [UInt8], _ position: Int, _ end: Int
    ) throws(HTTPParseError) {
        // The byte before may have been the CR that could still end the line.
        var index = max(0, scanned - 1)
        while index < end {
            guard bytes[position + index] >= 0x20 else { throw .malformedStartLine }
            index += 1
        }
        if end >= 0, end < bytes.count - position, bytes[position + end] < 0x20,
            bytes[position + end] != ASCII.carriageReturn
        {
            throw .malformedStartLine
        }
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
