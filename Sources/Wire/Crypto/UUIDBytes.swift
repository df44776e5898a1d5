/// A UUID (RFC 9562) as two integers.
package struct UUIDBytes: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The first 16 bytes, whatever their version.
    package init(_ bytes: some Sequence<UInt8>) {
        var words: (UInt64, UInt64) = (0, 0)
        for (index, byte) in bytes.prefix(16).enumerated() {
            if index < 8 {
                words.0 = words.0 << 8 | UInt64(byte)
            } else {
                words.1 = words.1 << 8 | UInt64(byte)
            }
        }
        self.init(high: words.0, low: words.1)
    }

    /// Version 4 from 16 random bytes.
    package static func random() -> UUIDBytes {
        UUIDBytes(SecureRandom.bytes(count: 16)).marked(version: 4)
    }

    /// Version 5: the same name in the same namespace gives the same UUID, everywhere and always.
    package static func named(_ name: [UInt8], in namespace: UUIDBytes) -> UUIDBytes {
        let prefix = InlineArray<16, UInt8> { namespace.byte(at: $0) }
        let digest = sha1(prefix.span, name.span)
        var words: (UInt64, UInt64) = (0, 0)
        for index in 0..<8 {
            words.0 = words.0 << 8 | UInt64(digest[index])
            words.1 = words.1 << 8 | UInt64(digest[index + 8])
        }
        return UUIDBytes(high: words.0, low: words.1).marked(version: 5)
    }

    private func marked(version: UInt64) -> UUIDBytes {
        UUIDBytes(
            high: high & 0xFFFF_FFFF_FFFF_0FFF | version << 12, low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8 << 60)
    }

    package var bytes: [UInt8] { (0..<16).map { byte(at: $0) } }

    private func byte(at position: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: (position < 8 ? high : low) >> UInt64(56 - 8 * (position & 7)))
    }

    /// 36 lower-case characters.
    package var textBytes: [UInt8] {
        var text: [UInt8] = []
        appendText(to: &text)
        return text
    }

    /// Appends the 36 lower-case characters.
    package func appendText(to bytes: inout [UInt8]) {
        bytes.append(addingCapacity: 36) { (output: inout OutputSpan<UInt8>) in
            for position in 0..<32 {
                if position == 8 || position == 12 || position == 16 || position == 20 {
                    output.append(UInt8(ascii: "-"))
                }
                let word = position < 16 ? high : low
                output.append(Hex.digit(UInt8(word >> UInt64(60 - 4 * (position & 15)) & 0xF)))
            }
        }
    }

    package var text: String { String(decoding: textBytes, as: UTF8.self) }

    /// The 8-4-4-4-12 form in either case, nothing around it.
    package init?(text: String) {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard groups.map(\.count) == [8, 4, 4, 4, 12] else { return nil }
        guard let bytes = Hex.decode(Array(groups.joined())) else { return nil }
        self.init(bytes)
    }

    package static let dnsNamespace = UUIDBytes(high: 0x6ba7_b810_9dad_11d1, low: 0x80b4_00c0_4fd4_30c8)
    package static let urlNamespace = UUIDBytes(high: 0x6ba7_b811_9dad_11d1, low: 0x80b4_00c0_4fd4_30c8)
}
