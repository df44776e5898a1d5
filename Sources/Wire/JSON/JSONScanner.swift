/// Checks a text once, byte by byte, and writes the tape.
///
/// Recursive over containers, so the depth limit also bounds the stack. A read past the end yields 0, which
/// no rule takes, so that the end needs no case of its own.
struct JSONScanner {
    private let limits: JSONLimits
    var index = 0
    var entries: [JSONTape.Entry] = []
    private var depth = 0

    init(limits: JSONLimits) { self.limits = limits }

    mutating func scan(_ source: [UInt8]) throws(JSONError) -> JSONTape {
        guard source.count <= limits.bytes, source.count < Int(UInt32.max) else {
            throw JSONError("text longer than \(limits.bytes) bytes", byteOffset: limits.bytes)
        }
        let bytes = source.span
        entries.reserveCapacity(source.count / 8 + 4)
        skipBlanks(bytes)
        try value(bytes)
        skipBlanks(bytes)
        guard index == bytes.count else { throw failure("unexpected text after the value") }
        return JSONTape(source: source, entries: entries)
    }

    func failure(_ problem: String) -> JSONError { JSONError(problem, byteOffset: index) }

    private mutating func value(_ bytes: Span<UInt8>) throws(JSONError) {
        switch peek(bytes) {
        case ASCII.quote:
            try string(bytes)
        case ASCII.openBrace: try object(bytes)
        case ASCII.openBracket: try array(bytes)
        case ASCII.minus, ASCII.zero...ASCII.nine: try number(bytes)
        case 0x74: try literal(bytes, "true", .bool)
        case 0x66: try literal(bytes, "false", .bool)
        case 0x6E: try literal(bytes, "null", .null)
        default: throw failure("expected a value")
        }
    }

    private mutating func object(_ bytes: Span<UInt8>) throws(JSONError) {
        let own = try open(.object)
        var keys = JSONKeySet()
        skipBlanks(bytes)
        if peek(bytes) == ASCII.closeBrace { return close(own) }
        while true {
            guard peek(bytes) == ASCII.quote else { throw failure("expected a key in quotes") }
            try string(bytes)
            if limits.refusesDuplicateKeys { try note(&keys, bytes, object: own) }
            skipBlanks(bytes)
            guard peek(bytes) == ASCII.colon else { throw failure("expected ':'") }
            index += 1
            skipBlanks(bytes)
            try value(bytes)
            skipBlanks(bytes)
            if peek(bytes) == ASCII.closeBrace { break }
            guard peek(bytes) == ASCII.comma else { throw failure("expected ',' or '}'") }
            index += 1
            skipBlanks(bytes)
        }
        try finish(keys, bytes, object: own)
        close(own)
    }

    private mutating func array(_ bytes: Span<UInt8>) throws(JSONError) {
        let own = try open(.array)
        skipBlanks(bytes)
        if peek(bytes) == ASCII.closeBracket { return close(own) }
        while true {
            try value(bytes)
            skipBlanks(bytes)
            if peek(bytes) == ASCII.closeBracket { return close(own) }
            guard peek(bytes) == ASCII.comma else { throw failure("expected ',' or ']'") }
            index += 1
            skipBlanks(bytes)
        }
    }

    /// Begins a container and answers its place on the tape.
    private mutating func open(_ kind: JSONKind) throws(JSONError) -> Int {
        depth += 1
        guard depth <= limits.depth else { throw failure("nesting deeper than \(limits.depth)") }
        append(kind, from: index, to: index)
        index += 1
        return entries.count - 1
    }

    /// Ends a container at the bracket under the index.
    private mutating func close(_ own: Int) {
        depth -= 1
        index += 1
        entries[own].end = UInt32(truncatingIfNeeded: index)
        entries[own].next = UInt32(truncatingIfNeeded: entries.count)
    }

    private mutating func literal(
        _ bytes: Span<UInt8>, _ word: StaticString, _ kind: JSONKind
    ) throws(JSONError) {
        let end = index + word.utf8CodeUnitCount
        guard end <= bytes.count, StaticText.equal(bytes, index..<end, word) else {
            throw failure("expected a value")
        }
        append(kind, from: index, to: end)
        index = end
    }

    mutating func append(_ kind: JSONKind, from start: Int, to end: Int, flag: Bool = false) {
        entries.append(
            JSONTape.Entry(
                start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end),
                next: UInt32(truncatingIfNeeded: entries.count + 1), kind: kind, flag: flag))
    }

    @inline(__always)
    func peek(_ bytes: Span<UInt8>) -> UInt8 { index < bytes.count ? bytes[index] : 0 }

    @inline(__always)
    private mutating func skipBlanks(_ bytes: Span<UInt8>) {
        while index < bytes.count {
            switch bytes[index] {
            case ASCII.space, ASCII.lineFeed, ASCII.carriageReturn, ASCII.tab: index += 1
            default: return
            }
        }
    }
}
