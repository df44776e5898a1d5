extension JSON5Reader {
    /// A string in either quotes.
    mutating func string() throws(JSONError) -> String {
        let start = self
        let quote = peek()
        var decoded: [UInt8] = []
        index += 1
        while index < bytes.count {
            let byte = peek()
            if byte == quote {
                index += 1
                return String(decoding: decoded, as: UTF8.self)
            }
            if byte == ASCII.backslash {
                try escape(into: &decoded)
            } else if byte == ASCII.lineFeed || byte == ASCII.carriageReturn {
                throw failure("line break in a string")
            } else {
                decoded.append(byte)
                index += 1
            }
        }
        throw start.failure("string without an end")
    }

    /// An escape at a backslash: the letters of JSON, `\v`, `\0`,
    /// `\x`, a line continued, or a character as it is.
    private mutating func escape(into decoded: inout [UInt8]) throws(JSONError) {
        let letter = peek(1)
        switch letter {
        case 0x75: return try unicode(into: &decoded)
        case 0x78:
            UTF8Sequence.append(try hex(at: 2, digits: 2), to: &decoded)
            index += 4
            return
        case ASCII.carriageReturn where peek(2) == ASCII.lineFeed:
            line += 1
            index += 3
            return
        case ASCII.lineFeed: line += 1
        case 0x62: decoded.append(0x08)
        case 0x66: decoded.append(0x0C)
        case 0x6E: decoded.append(0x0A)
        case 0x72: decoded.append(0x0D)
        case 0x74: decoded.append(0x09)
        case 0x76: decoded.append(0x0B)
        case ASCII.zero where !ASCII.isDigit(peek(2)): decoded.append(0)
        case ASCII.zero...ASCII.nine: throw failure("invalid escape")
        default:
            guard index + 1 < bytes.count else { throw failure("string without an end") }
            decoded.append(letter)
        }
        index += 2
    }

    private mutating func unicode(into decoded: inout [UInt8]) throws(JSONError) {
        let unit = try hex(at: 2, digits: 4)
        guard unit & 0xF800 == 0xD800 else {
            UTF8Sequence.append(unit, to: &decoded)
            index += 6
            return
        }
        guard unit < 0xDC00, peek(6) == ASCII.backslash, peek(7) == 0x75 else {
            throw failure("lone surrogate in an escape")
        }
        let low = try hex(at: 8, digits: 4)
        guard low & 0xFC00 == 0xDC00 else { throw failure("lone surrogate in an escape") }
        UTF8Sequence.append(0x1_0000 + (unit & 0x3FF) << 10 + low & 0x3FF, to: &decoded)
        index += 12
    }

    private func hex(at offset: Int, digits: Int) throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for position in offset..<offset + digits {
            guard let digit = ASCII.hexValue(peek(position)) else { throw failure("invalid escape") }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// A number: JSON's, with a sign, a bare point at either end, hex, `Infinity`, `NaN`.
    mutating func number() throws(JSONError) -> JSON5Value.Content {
        let isNegative = peek() == ASCII.minus
        if isNegative || peek() == ASCII.plus { index += 1 }
        if peek() == ASCII.zero, peek(1) | 0x20 == 0x78 {
            index += 2
            return .integer(try hexInteger(isNegative))
        }
        switch identifier() {
        case nil: break
        case "Infinity": return .double(isNegative ? -.infinity : .infinity)
        case "NaN": return .double(.nan)
        default: throw failure("expected a number")
        }
        return try decimal(isNegative)
    }

    private mutating func decimal(_ isNegative: Bool) throws(JSONError) -> JSON5Value.Content {
        let start = index
        while ASCII.isDigit(peek()) { index += 1 }
        let whole = start..<index
        if whole.count > 1, bytes[start] == ASCII.zero { throw failure("number with a leading zero") }
        var fraction = index..<index
        if peek() == ASCII.period {
            index += 1
            let point = index
            while ASCII.isDigit(peek()) { index += 1 }
            fraction = point..<index
        }
        guard !whole.isEmpty || !fraction.isEmpty else { throw failure("expected a digit") }
        try exponent()
        if identifier() != nil { throw failure("unexpected letter in a number") }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if index == whole.upperBound, let integer = Int64((isNegative ? "-" : "") + text) {
            return .integer(integer)
        }
        let padded = Self.padded(text, whole: whole, fraction: fraction)
        guard let double = Double(padded), double.isFinite else { throw failure("number out of range") }
        return .double(isNegative ? -double : double)
    }

    /// `.5` and `5.` with the zero that the standard library's reader wants.
    private static func padded(
        _ text: String, whole: Range<Int>, fraction: Range<Int>
    ) -> String {
        let fronted = whole.isEmpty ? "0" + text : text
        guard fraction.isEmpty, let point = fronted.firstIndex(of: ".") else { return fronted }
        return fronted[...point] + "0" + fronted[fronted.index(after: point)...]
    }

    private mutating func exponent() throws(JSONError) {
        guard peek() | 0x20 == 0x65 else { return }
        index += 1
        if peek() == ASCII.plus || peek() == ASCII.minus { index += 1 }
        guard ASCII.isDigit(peek()) else { throw failure("expected a digit") }
        while ASCII.isDigit(peek()) { index += 1 }
    }

    private mutating func hexInteger(_ isNegative: Bool) throws(JSONError) -> Int64 {
        let start = index
        while ASCII.hexValue(peek()) != nil { index += 1 }
        guard index > start else { throw failure("expected a digit") }
        if identifier() != nil { throw failure("unexpected letter in a number") }
        let text = (isNegative ? "-" : "") + String(decoding: bytes[start..<index], as: UTF8.self)
        guard let value = Int64(text, radix: 16) else { throw failure("number out of range") }
        return value
    }
}
