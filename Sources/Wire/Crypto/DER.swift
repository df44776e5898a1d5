/// The few ASN.1 encodings that keys, signatures and certificates here need (X.690 DER).
enum DER {
    static let integerTag: UInt8 = 0x02
    static let sequenceTag: UInt8 = 0x30

    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag] + length(content.count) + content
    }

    static func sequence(_ parts: [UInt8]...) -> [UInt8] { element(sequenceTag, parts.flatMap { $0 }) }
    static func set(_ parts: [UInt8]...) -> [UInt8] { element(0x31, parts.flatMap { $0 }) }
    static func octets(_ content: [UInt8]) -> [UInt8] { element(0x04, content) }
    static func bits(_ content: [UInt8], unused: UInt8 = 0) -> [UInt8] { element(0x03, [unused] + content) }
    static func boolean(_ value: Bool) -> [UInt8] { element(0x01, [value ? 0xFF : 0]) }
    static func text(_ value: String) -> [UInt8] { element(0x0C, Array(value.utf8)) }

    /// An unsigned big-endian number, in as few bytes as its sign allows.
    static func integer(_ magnitude: some Collection<UInt8>) -> [UInt8] {
        let digits = Array(magnitude.drop { $0 == 0 })
        guard let first = digits.first else { return element(integerTag, [0]) }
        return element(integerTag, first >= 0x80 ? [0] + digits : digits)
    }

    private static func length(_ count: Int) -> [UInt8] {
        guard count >= 0x80 else { return [UInt8(count)] }
        let digits = (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }.drop { $0 == 0 }
        return [0x80 | UInt8(digits.count)] + digits
    }
}

/// Reads DER elements one after the other; lengths up to 65,535.
struct DERReader {
    private var rest: ArraySlice<UInt8>
    init(_ bytes: some Sequence<UInt8>) { rest = ArraySlice(bytes) }

    var isAtEnd: Bool { rest.isEmpty }

    /// The content of the next element when it has this tag.
    mutating func read(_ tag: UInt8) -> ArraySlice<UInt8>? {
        guard rest.popFirst() == tag, let count = readLength(), count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private mutating func readLength() -> Int? {
        guard let first = rest.popFirst() else { return nil }
        guard first >= 0x80 else { return Int(first) }
        guard (1...2).contains(first & 0x7F) else { return nil }
        var count = 0
        for _ in 0..<(first & 0x7F) {
            guard let byte = rest.popFirst() else { return nil }
            count = count << 8 | Int(byte)
        }
        return count >= 0x80 ? count : nil
    }
}
