extension JSONScanner {
    /// Checks the string that begins at the quote under the index.
    mutating func string(_ bytes: Span<UInt8>) throws(JSONError) {
        let start = index
        var cursor = start + 1
        var hasEscapes = false
        while true {
            cursor = ByteScan.endOfPlainText(bytes, from: cursor)
            guard cursor < bytes.count else { break }
            let byte = bytes[cursor]
            if byte == ASCII.quote {
                index = cursor + 1
                return append(.string, from: start, to: index, flag: hasEscapes)
            }
            if byte == ASCII.backslash {
                hasEscapes = true
                cursor += try JSONEscaping.length(bytes, at: cursor)
            } else {
                guard byte >= 0x20 else {
                    throw JSONError("control character in a string", byteOffset: cursor)
                }
                let length = UTF8Sequence.length(bytes, at: cursor)
                guard length > 0 else { throw JSONError("invalid UTF-8", byteOffset: cursor) }
                cursor += length
            }
        }
        throw JSONError("string without an end", byteOffset: start)
    }

    /// Checks a number; plain integers are flagged.
    mutating func number(_ bytes: Span<UInt8>) throws(JSONError) {
        let start = index
        if peek(bytes) == ASCII.minus { index += 1 }
        if peek(bytes) == ASCII.zero {
            index += 1
        } else {
            try digits(bytes)
        }
        var isInteger = true
        if peek(bytes) == ASCII.period {
            isInteger = false
            index += 1
            try digits(bytes)
        }
        if peek(bytes) | 0x20 == 0x65 {
            isInteger = false
            index += 1
            if peek(bytes) == ASCII.plus || peek(bytes) == ASCII.minus { index += 1 }
            try digits(bytes)
        }
        append(.number, from: start, to: index, flag: isInteger)
    }

    private mutating func digits(_ bytes: Span<UInt8>) throws(JSONError) {
        guard ASCII.isDigit(peek(bytes)) else { throw failure("expected a digit") }
        while ASCII.isDigit(peek(bytes)) { index += 1 }
    }
}
