/// Reads JSON5 into a tree. Speed is no aim here; a line in every error is.
struct JSON5Reader {
    let bytes: [UInt8]
    var index = 0
    var line = 1
    private var depth = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(JSONError) -> JSON5Value {
        try skipBlanks()
        let root = try value()
        try skipBlanks()
        guard index == bytes.count else { throw failure("unexpected text after the value") }
        return root
    }

    func failure(_ problem: String) -> JSONError { JSONError(problem, byteOffset: index, line: line) }

    /// The byte at an offset from the index, 0 past the end.
    func peek(_ offset: Int = 0) -> UInt8 { index + offset < bytes.count ? bytes[index + offset] : 0 }

    private mutating func value() throws(JSONError) -> JSON5Value {
        let start = line
        switch peek() {
        case ASCII.openBrace: return JSON5Value(content: try nested(Self.object), line: start)
        case ASCII.openBracket: return JSON5Value(content: try nested(Self.array), line: start)
        case ASCII.quote, ASCII.apostrophe: return JSON5Value(content: .string(try string()), line: start)
        case ASCII.plus, ASCII.minus, ASCII.period, ASCII.zero...ASCII.nine:
            return JSON5Value(content: try number(), line: start)
        default: return JSON5Value(content: try word(), line: start)
        }
    }

    private mutating func nested(
        _ read: (inout JSON5Reader) throws(JSONError) -> JSON5Value.Content
    ) throws(JSONError) -> JSON5Value.Content {
        depth += 1
        guard depth <= JSON5Document.depthLimit else {
            throw failure("nesting deeper than \(JSON5Document.depthLimit)")
        }
        index += 1
        let content = try read(&self)
        depth -= 1
        return content
    }

    private static func object(_ reader: inout JSON5Reader) throws(JSONError) -> JSON5Value.Content {
        var members: [JSON5Value.Member] = []
        var keys: Set<String> = []
        while try !reader.take(ASCII.closeBrace) {
            let line = reader.line
            let key = try reader.key()
            guard keys.insert(key).inserted else { throw reader.failure("duplicate key '\(key)'") }
            guard try reader.take(ASCII.colon) else { throw reader.failure("expected ':'") }
            try reader.skipBlanks()
            members.append(JSON5Value.Member(key: key, line: line, value: try reader.value()))
            if try reader.take(ASCII.comma) { continue }
            guard try reader.take(ASCII.closeBrace) else { throw reader.failure("expected ',' or '}'") }
            break
        }
        return .object(members)
    }

    private static func array(_ reader: inout JSON5Reader) throws(JSONError) -> JSON5Value.Content {
        var elements: [JSON5Value] = []
        while try !reader.take(ASCII.closeBracket) {
            elements.append(try reader.value())
            if try reader.take(ASCII.comma) { continue }
            guard try reader.take(ASCII.closeBracket) else { throw reader.failure("expected ',' or ']'") }
            break
        }
        return .array(elements)
    }

    private mutating func key() throws(JSONError) -> String {
        if peek() == ASCII.quote || peek() == ASCII.apostrophe { return try string() }
        guard let name = identifier() else { throw failure("expected a key") }
        return name
    }

    private mutating func word() throws(JSONError) -> JSON5Value.Content {
        let start = index
        switch identifier() {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        case "Infinity": return .double(.infinity)
        case "NaN": return .double(.nan)
        default:
            index = start
            throw failure("expected a value")
        }
    }

    /// A name of letters, digits, `_`, `$` and anything beyond ASCII, not beginning with a digit.
    mutating func identifier() -> String? {
        let start = index
        while Self.isNameByte(peek()), index > start || !ASCII.isDigit(peek()) { index += 1 }
        return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x24, 0x80...0xFF: true
        default: false
        }
    }

    /// Skips blanks, takes a byte if it is there, and skips blanks again.
    private mutating func take(_ byte: UInt8) throws(JSONError) -> Bool {
        try skipBlanks()
        guard peek() == byte, index < bytes.count else { return false }
        index += 1
        try skipBlanks()
        return true
    }

    private mutating func skipBlanks() throws(JSONError) {
        while index < bytes.count {
            switch (peek(), peek(1), peek(2)) {
            case (ASCII.lineFeed, _, _):
                line += 1
                index += 1
            case (ASCII.space, _, _), (0x09, _, _), (0x0B...0x0D, _, _): index += 1
            case (0xC2, 0xA0, _): index += 2
            case (0xEF, 0xBB, 0xBF): index += 3
            case (ASCII.slash, ASCII.slash, _):
                while index < bytes.count, peek() != ASCII.lineFeed { index += 1 }
            case (ASCII.slash, ASCII.asterisk, _): try skipBlockComment()
            default: return
            }
        }
    }

    private mutating func skipBlockComment() throws(JSONError) {
        let start = self
        index += 2
        while index < bytes.count {
            if peek() == ASCII.asterisk, peek(1) == ASCII.slash {
                index += 2
                return
            }
            if peek() == ASCII.lineFeed { line += 1 }
            index += 1
        }
        throw start.failure("comment without an end")
    }
}
