/// Base 16, lower case when written, either case when read.
package enum Hex {
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: encodedBytes(Array(bytes)), as: UTF8.self)
    }

    package static func encodedBytes(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 0xF))
        }
        return text
    }

    /// nil for an odd number of digits or any other character.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? { decode(Array(text)) }

    package static func decode(_ text: [UInt8]) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = value(of: text[index]), let low = value(of: text[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    package static func decode(_ text: String) -> [UInt8]? { decode(Array(text.utf8)) }

    static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

    static func value(of character: UInt8) -> UInt8? {
        switch character {
        case 0x30...0x39: character - 0x30
        case 0x41...0x46: character - 0x41 + 10
        case 0x61...0x66: character - 0x61 + 10
        default: nil
        }
    }
}
