/// Takes a chunked body apart (RFC 9112 section 7.1) as bytes come.
///
/// Extensions are skipped and trailers checked and dropped; both are bounded, so that a body of tiny chunks
/// cannot make us read without end.
struct HTTPChunkedBody: Sendable {
    private enum State: Sendable {
        case sizeLine
        case data(remaining: Int)
        case dataEnd
        case trailers
    }

    private(set) var body: [UInt8] = []
    private var state = State.sizeLine
    private var overheadBytes = 0
    private var trailerLines = 0

    /// Consumes what is there; true once the last trailer line is consumed.
    mutating func read(
        from buffer: inout InputBuffer, limits: HTTPLimits
    ) throws(HTTPParseError) -> Bool {
        while true {
            switch state {
            case .sizeLine:
                guard let line = try takeLine(from: &buffer, limit: limits.chunkLineBytes, .malformedChunk)
                else { return false }
                try begin(chunk: try Self.size(line), limits: limits)
                try count(overhead: line.drop { $0 != ASCII.semicolon }.count, limits: limits)
            case .data(let remaining):
                guard !buffer.isEmpty else { return false }
                let length = min(remaining, buffer.count)
                body.append(contentsOf: buffer.bytes[buffer.position..<buffer.position + length])
                buffer.consume(length)
                state = length == remaining ? .dataEnd : .data(remaining: remaining - length)
            case .dataEnd:
                guard let line = try takeLine(from: &buffer, limit: 0, .malformedChunk) else { return false }
                guard line.isEmpty else { throw .malformedChunk }
                state = .sizeLine
            case .trailers:
                guard let line = try takeLine(from: &buffer, limit: limits.headerBytes, .headersTooLarge)
                else { return false }
                if line.isEmpty { return true }
                try check(trailer: line, limits: limits)
            }
        }
    }

    private mutating func begin(chunk size: Int, limits: HTTPLimits) throws(HTTPParseError) {
        guard size <= limits.bodyBytes - body.count else { throw .bodyTooLarge }
        state = size == 0 ? .trailers : .data(remaining: size)
    }

    private mutating func check(trailer line: [UInt8], limits: HTTPLimits) throws(HTTPParseError) {
        try count(overhead: line.count, limits: limits)
        trailerLines += 1
        guard trailerLines <= limits.headerCount else { throw .headersTooLarge }
        let block = line + [ASCII.carriageReturn, ASCII.lineFeed, ASCII.carriageReturn, ASCII.lineFeed]
        _ = try HTTPFieldScanner.scan(block.span, from: 0, limits: limits)
    }

    private mutating func count(overhead bytes: Int, limits: HTTPLimits) throws(HTTPParseError) {
        overheadBytes += bytes
        guard overheadBytes <= limits.headerBytes else { throw .headersTooLarge }
    }

    /// A line without its CRLF, nil until it is there; over `limit` it throws `error`.
    private func takeLine(
        from buffer: inout InputBuffer, limit: Int, _ error: HTTPParseError
    ) throws(HTTPParseError) -> [UInt8]? {
        let pending = buffer.bytes[buffer.position...].prefix(limit + 2)
        guard let lineFeed = pending.firstIndex(of: ASCII.lineFeed) else {
            guard pending.count < limit + 2 else { throw error }
            return nil
        }
        guard lineFeed > pending.startIndex, pending[lineFeed - 1] == ASCII.carriageReturn else {
            throw .bareLineBreak
        }
        let line = Array(pending[..<(lineFeed - 1)])
        buffer.consume(line.count + 2)
        return line
    }

    /// The size in a chunk line: hex digits, then nothing or `;` and extensions without control bytes.
    private static func size(_ line: [UInt8]) throws(HTTPParseError) -> Int {
        var size = 0
        var digits = 0
        for byte in line {
            guard let digit = ASCII.hexValue(byte) else { break }
            digits += 1
            guard digits <= 12 else { throw .malformedChunk }
            size = size << 4 | Int(digit)
        }
        guard digits > 0 else { throw .malformedChunk }
        let rest = line[digits...]
        guard rest.isEmpty || rest.first == ASCII.semicolon else { throw .malformedChunk }
        guard rest.allSatisfy({ !ASCII.isControl($0) || $0 == ASCII.tab }) else { throw .malformedChunk }
        return size
    }
}
