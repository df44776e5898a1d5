/// Searches that look at eight bytes at a time.
///
/// Each finds the first byte of a class by arithmetic on a whole word: subtracting borrows
/// into the top bit of exactly those bytes that are too small, and only a match lower in the
/// word can disturb a higher byte, so the lowest marked byte is always right.
enum ByteScan {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let tops: UInt64 = 0x8080_8080_8080_8080

    /// The first control byte, quote, backslash or byte beyond ASCII, or the end.
    @inline(__always)
    static func endOfPlainText(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index + 8 <= bytes.count {
            let word = load(bytes, at: index)
            let marks = below(0x20, word) | equal(0x22, word) | equal(0x5C, word) | word & tops
            if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < bytes.count {
            let byte = bytes[index]
            if byte < 0x20 || byte == 0x22 || byte == 0x5C || byte >= 0x80 { break }
            index += 1
        }
        return index
    }

    /// The first line feed, or the end.
    static func lineFeed(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index + 8 <= bytes.count {
            let marks = equal(0x0A, load(bytes, at: index))
            if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < bytes.count, bytes[index] != 0x0A { index += 1 }
        return index
    }

    /// The first control byte (DEL counts, and so does a tab), or the end.
    static func control(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index + 8 <= bytes.count {
            let word = load(bytes, at: index)
            let marks = below(0x20, word) | equal(0x7F, word)
            if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < bytes.count, !ASCII.isControl(bytes[index]) { index += 1 }
        return index
    }

    /// The first control byte or byte beyond ASCII, or the end.
    static func controlOrBeyondASCII(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index + 8 <= bytes.count {
            let word = load(bytes, at: index)
            let marks = below(0x20, word) | equal(0x7F, word) | word & tops
            if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < bytes.count, !ASCII.isControl(bytes[index]), bytes[index] < 0x80 { index += 1 }
        return index
    }

    @inline(__always)
    private static func below(_ limit: UInt64, _ word: UInt64) -> UInt64 {
        (word &- ones &* limit) & ~word & tops
    }

    @inline(__always)
    private static func equal(_ byte: UInt64, _ word: UInt64) -> UInt64 { below(1, word ^ ones &* byte) }

    /// Eight bytes, the first one lowest. The load is checked against the end; any bytes make a `UInt64`.
    @inline(__always)
    private static func load(_ bytes: Span<UInt8>, at index: Int) -> UInt64 {
        UInt64(littleEndian: unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    }
}
