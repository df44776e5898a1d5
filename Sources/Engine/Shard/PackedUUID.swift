/// A UUID of the canonical form, all in one case.
struct PackedUUID {
    enum Spelling: UInt8 {
        case lower = 1
        case upper = 2
    }

    let spelling: Spelling
    /// Its digits, the first in the highest bits.
    private let halves: (high: UInt64, low: UInt64)

    /// - Precondition: there are 16 bytes.
    init(_ spelling: Spelling, _ bytes: ArraySlice<UInt8>) {
        self.spelling = spelling
        func half(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        halves = (half(bytes.prefix(8)), half(bytes.suffix(8)))
    }

    /// Nil for any other text.
    init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        let characters = text.utf8.span
        var (high, low, cases): (UInt64, UInt64, UInt8) = (0, 0, 0)
        for place in characters.indices {
            let character = characters[place]
            if place == 8 || place == 13 || place == 18 || place == 23 {
                guard character == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Self.digit(character, &cases) else { return nil }
            // The 18th character is the last of the first sixteen digits.
            if place < 18 { high = high << 4 | digit } else { low = low << 4 | digit }
        }
        guard cases != Self.lowerCase | Self.upperCase else { return nil }
        spelling = cases == Self.upperCase ? .upper : .lower
        halves = (high, low)
    }

    /// One of its sixteen bytes.
    subscript(place: Int) -> UInt8 {
        let half = place < 8 ? halves.high : halves.low
        return UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * (place & 7)))
    }

    private static let lowerCase: UInt8 = 1
    private static let upperCase: UInt8 = 2

    /// The value of a hexadecimal digit; a letter's case is added to those seen.
    @inline(__always)
    private static func digit(_ character: UInt8, _ cases: inout UInt8) -> UInt64? {
        let number = character &- UInt8(ascii: "0")
        if number < 10 { return UInt64(number) }
        let letter = (character | 0x20) &- UInt8(ascii: "a")
        guard letter < 6 else { return nil }
        cases |= character & 0x20 == 0 ? upperCase : lowerCase
        return UInt64(letter) + 10
    }

    var text: [UInt8] {
        let digits = spelling == .upper ? Self.upperDigits : Self.lowerDigits
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for place in 0..<16 {
            if place == 4 || place == 6 || place == 8 || place == 10 { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(self[place] >> 4)])
            text.append(digits[Int(self[place] & 0xf)])
        }
        return text
    }

    private static let lowerDigits = Array("0123456789abcdef".utf8)
    private static let upperDigits = Array("0123456789ABCDEF".utf8)
}
