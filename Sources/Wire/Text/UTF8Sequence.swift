/// Well-formed UTF-8, one character at a time (Unicode table 3-7).
enum UTF8Sequence {
    /// The length of the well-formed sequence that begins at `index`, or 0. Overlong forms, surrogates and
    /// what lies beyond U+10FFFF are not well-formed.
    static func length(_ bytes: Span<UInt8>, at index: Int) -> Int {
        let first = bytes[index]
        let (length, second): (Int, ClosedRange<UInt8>)
        switch first {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return 0
        }
        guard index + length <= bytes.count, second.contains(bytes[index + 1]) else { return 0 }
        if length > 2, bytes[index + 2] & 0xC0 != 0x80 { return 0 }
        if length > 3, bytes[index + 3] & 0xC0 != 0x80 { return 0 }
        return length
    }

    /// The offset of the first byte that begins no well-formed sequence, or nil if all are well-formed.
    static func firstError(_ bytes: Span<UInt8>) -> Int? {
        var index = 0
        while index < bytes.count {
            let length = length(bytes, at: index)
            guard length > 0 else { return index }
            index += length
        }
        return nil
    }

    /// Appends a scalar value; the caller has excluded surrogates.
    static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
        switch scalar {
        case ..<0x80:
            bytes.append(UInt8(scalar))
        case ..<0x800:
            bytes.append(0xC0 | UInt8(scalar >> 6))
            bytes.append(0x80 | UInt8(scalar & 0x3F))
        case ..<0x1_0000:
            bytes.append(0xE0 | UInt8(scalar >> 12))
            bytes.append(0x80 | UInt8(scalar >> 6 & 0x3F))
            bytes.append(0x80 | UInt8(scalar & 0x3F))
        default:
            bytes.append(0xF0 | UInt8(truncatingIfNeeded: scalar >> 18))
            bytes.append(0x80 | UInt8(scalar >> 12 & 0x3F))
            bytes.append(0x80 | UInt8(scalar >> 6 & 0x3F))
            bytes.append(0x80 | UInt8(scalar & 0x3F))
        }
    }
}
