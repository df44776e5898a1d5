/// Quotes text for JSON: escapes what RFC 8259 section 7 demands and nothing else.
enum JSONEscaping {
    static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(ASCII.quote)
        if text.utf8.contains(where: needsEscape) {
            for byte in text.utf8 { append(byte, to: &bytes) }
        } else {
            bytes.append(contentsOf: text.utf8)
        }
        bytes.append(ASCII.quote)
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == ASCII.quote || byte == ASCII.backslash
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
}
