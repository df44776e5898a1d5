/// Base 64 with the standard alphabet and padding (RFC 4648 §4).
package enum Base64 {
    private static let alphabet = Base64Alphabet(last: "+/", isPadded: true)

    package static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: alphabet.encode(bytes), as: UTF8.self)
    }

    /// nil unless exactly what `encode` would give: no line breaks, full padding, no stray bits.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? { alphabet.decode(Array(text)) }
    package static func decode(_ text: String) -> [UInt8]? { alphabet.decode(Array(text.utf8)) }
}

/// Base 64 with the URL-safe alphabet and no padding (RFC 4648 §5, RFC 7515).
package enum Base64URL {
    private static let alphabet = Base64Alphabet(last: "-_", isPadded: false)

    package static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: alphabet.encode(bytes), as: UTF8.self)
    }

    package static func encodedBytes(_ bytes: [UInt8]) -> [UInt8] { alphabet.encode(bytes) }

    /// nil unless exactly what `encode` would give: padding, line breaks and stray bits are refused.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? { alphabet.decode(Array(text)) }
    package static func decode(_ text: String) -> [UInt8]? { alphabet.decode(Array(text.utf8)) }
}

private struct Base64Alphabet: Sendable {
    private static let pad = UInt8(ascii: "=")
    private static let invalid: UInt8 = 0xFF
    private let characters: [UInt8]
    private let values: [UInt8]
    private let isPadded: Bool

    init(last: String, isPadded: Bool) {
        let common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        characters = Array((common + last).utf8)
        var values = [UInt8](repeating: Self.invalid, count: 256)
        for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
        self.values = values
        self.isPadded = isPadded
    }

    func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.append(addingCapacity: (bytes.count + 2) / 3 * 4) { (output: inout OutputSpan<UInt8>) in
            var index = 0
            while index + 3 <= bytes.count {
                append(bytes[index], bytes[index + 1], bytes[index + 2], digits: 4, to: &output)
                index += 3
            }
            switch bytes.count - index {
            case 1: append(bytes[index], 0, 0, digits: 2, to: &output)
            case 2: append(bytes[index], bytes[index + 1], 0, digits: 3, to: &output)
            default: break
            }
        }
        return text
    }

    private func append(
        _ first: UInt8, _ second: UInt8, _ third: UInt8, digits: Int, to output: inout OutputSpan<UInt8>
    ) {
        let group = UInt32(first) << 16 | UInt32(second) << 8 | UInt32(third)
        for position in 0..<digits { output.append(characters[Int(group >> (18 - 6 * position)) & 0x3F]) }
        if isPadded { for _ in digits..<4 { output.append(Self.pad) } }
    }

    func decode(_ text: [UInt8]) -> [UInt8]? {
        guard let digitCount = digitCount(of: text) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digitCount * 3 / 4)
        var bits: UInt32 = 0
        var bitCount = 0
        for character in text.prefix(digitCount) {
            let value = values[Int(character)]
            guard value != Self.invalid else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            bits &= (1 << bitCount) - 1
        }
        return bits == 0 ? bytes : nil
    }

    /// The number of characters before the padding; nil when the length or padding is impossible.
    private func digitCount(of text: [UInt8]) -> Int? {
        guard isPadded else { return text.count % 4 == 1 ? nil : text.count }
        guard text.count.isMultiple(of: 4) else { return nil }
        let padCount = text.suffix(2).reversed().prefix { $0 == Self.pad }.count
        return text.count - padCount
    }
}
