/// Quotes text for JSON and back (RFC 8259 section 7); writing escapes what must be and nothing else.
enum JSONEscaping {
    /// Longest text copied byte by byte; beyond it a block copy is cheaper.
    private static let shortBytes = 64

    static func append(_ text: String, to bytes: inout [UInt8]) {
        let utf8 = text.utf8
        let span = utf8.span
        let isPlain = !needsEscapes(span)
        if isPlain, span.count <= shortBytes { return appendShort(span, to: &bytes) }
        bytes.append(ASCII.quote)
        if isPlain {
            bytes.append(contentsOf: utf8)
        } else {
            for byte in utf8 { append(byte, to: &bytes) }
        }
        bytes.append(ASCII.quote)
    }

    /// One growth check for the whole string: most strings of the wire are short.
    private static func appendShort(_ text: Span<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(addingCapacity: text.count + 2) { (output: inout OutputSpan<UInt8>) in
            output.append(ASCII.quote)
            output.append(copying: text)
            output.append(ASCII.quote)
        }
    }

    private static func needsEscapes(_ bytes: Span<UInt8>) -> Bool {
        var index = ByteScan.endOfPlainText(bytes, from: 0)
        while index < bytes.count {
            guard bytes[index] >= 0x80 else { return true }
            index = ByteScan.endOfPlainText(bytes, from: index + 1)
        }
        return false
    }

    private static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case ASCII.quote, ASCII.backslash: bytes.append(contentsOf: [ASCII.backslash, byte])
        case 0x08: bytes.append(contentsOf: [ASCII.backslash, 0x62])
        case 0x09: bytes.append(contentsOf: [ASCII.backslash, 0x74])
        case 0x0A: bytes.append(contentsOf: [ASCII.backslash, 0x6E])
        case 0x0C: bytes.append(contentsOf: [ASCII.backslash, 0x66])
        case 0x0D: bytes.append(contentsOf: [ASCII.backslash, 0x72])
        case 0x00..<0x20:
            bytes.append(contentsOf: [ASCII.backslash, 0x75, 0x30, 0x30])
            bytes.append(ASCII.hexDigit(byte >> 4))
            bytes.append(ASCII.hexDigit(byte & 15))
        default: bytes.append(byte)
        }
    }

    /// The length of the escape at a backslash; surrogates must come in pairs.
    static func length(_ bytes: Span<UInt8>, at index: Int) throws(JSONError) -> Int {
        guard index + 1 < bytes.count else { throw JSONError("string without an end", byteOffset: index) }
        if bytes[index + 1] != 0x75 {
            guard simple(bytes[index + 1]) != nil else {
                throw JSONError("invalid escape", byteOffset: index)
            }
            return 2
        }
        guard let unit = codeUnit(bytes, at: index) else {
            throw JSONError("invalid escape", byteOffset: index)
        }
        guard unit & 0xF800 == 0xD800 else { return 6 }
        guard unit < 0xDC00, let low = codeUnit(bytes, at: index + 6), low & 0xFC00 == 0xDC00 else {
            throw JSONError("lone surrogate in an escape", byteOffset: index)
        }
        return 12
    }

    /// The content of a string entry that has been checked.
    static func decode(_ bytes: Span<UInt8>, _ entry: JSONTape.Entry) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(Int(entry.end - entry.start))
        var index = Int(entry.start) + 1
        while index < Int(entry.end) - 1 {
            if bytes[index] != ASCII.backslash {
                decoded.append(bytes[index])
                index += 1
            } else if let byte = simple(bytes[index + 1]) {
                decoded.append(byte)
                index += 2
            } else {
                index += appendScalar(bytes, at: index, to: &decoded)
            }
        }
        return decoded
    }

    /// Appends what `\uXXXX`, or a pair of them, stands for and answers its length.
    private static func appendScalar(
        _ bytes: Span<UInt8>, at index: Int, to decoded: inout [UInt8]
    ) -> Int {
        let unit = codeUnit(bytes, at: index) ?? 0xFFFD
        guard unit & 0xF800 == 0xD800 else {
            UTF8Sequence.append(unit, to: &decoded)
            return 6
        }
        let low = codeUnit(bytes, at: index + 6) ?? 0xDC00
        UTF8Sequence.append(0x1_0000 + (unit & 0x3FF) << 10 + low & 0x3FF, to: &decoded)
        return 12
    }

    private static func simple(_ letter: UInt8) -> UInt8? {
        switch letter {
        case ASCII.quote, ASCII.backslash, ASCII.slash: letter
        case 0x62: 0x08
        case 0x66: 0x0C
        case 0x6E: 0x0A
        case 0x72: 0x0D
        case 0x74: 0x09
        default: nil
        }
    }

    /// The value of `\uXXXX` at an index, or nil if there is none.
    private static func codeUnit(_ bytes: Span<UInt8>, at index: Int) -> UInt32? {
        guard index + 6 <= bytes.count, bytes[index] == ASCII.backslash, bytes[index + 1] == 0x75 else {
            return nil
        }
        var unit: UInt32 = 0
        for offset in 2..<6 {
            guard let digit = ASCII.hexValue(bytes[index + offset]) else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }
}
