/// A UUID of the canonical form, all in one case.
struct PackedUUID {
    enum Spelling: UInt8 {
        case lower = 1
        case upper = 2
    }

    let spelling: Spelling
    let bytes: InlineArray<16, UInt8>

    init(_ spelling: Spelling, _ bytes: ArraySlice<UInt8>) {
        self.spelling = spelling
        self.bytes = InlineArray { bytes[bytes.startIndex + $0] }
    }

    /// Nil for any other text.
    init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        var bytes = InlineArray<16, UInt8>(repeating: 0)
        var (digits, lower, upper) = (0, false, false)
        let characters = text.utf8.span
        for place in characters.indices {
            let character = characters[place]
            if place == 8 || place == 13 || place == 18 || place == 23 {
                guard character == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt8
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                (digit, lower) = (character - UInt8(ascii: "a") + 10, true)
            case UInt8(ascii: "A")...UInt8(ascii: "F"):
                (digit, upper) = (character - UInt8(ascii: "A") + 10, true)
            default: return nil
            }
            bytes[digits / 2] = bytes[digits / 2] << 4 | digit
            digits += 1
        }
        guard !(lower && upper) else { return nil }
        spelling = upper ? .upper : .lower
        self.bytes = bytes
    }

    var text: [UInt8] {
        let digits = spelling == .upper ? Self.upperDigits : Self.lowerDigits
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for place in 0..<16 {
            if place == 4 || place == 6 || place == 8 || place == 10 { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(bytes[place] >> 4)])
            text.append(digits[Int(bytes[place] & 0xf)])
        }
        return text
    }

    private static let lowerDigits = Array("0123456789abcdef".utf8)
    private static let upperDigits = Array("0123456789ABCDEF".utf8)
}
