/// Text cut to a length in bytes, never within a character.
package enum EncodedText {
    static let ellipsis = "…"
    private static let ellipsisByteCount = 3

    /// How a provider counts text.
    package enum Measure: Sendable {
        /// As it is spelled inside a JSON string, escapes included.
        case spelled
        /// In UTF-8, without quotes and escapes.
        case plain

        func byteCount(_ text: some StringProtocol) -> Int {
            switch self {
            case .spelled: text.utf8.reduce(0) { $0 + Self.spelledByteCount($1) }
            case .plain: text.utf8.count
            }
        }

        private static func spelledByteCount(_ byte: UInt8) -> Int {
            switch byte {
            case 0x22, 0x5C, 0x08, 0x09, 0x0A, 0x0C, 0x0D: 2
            case 0x00..<0x20: 6
            default: 1
            }
        }
    }

    /// The text cut between two characters, with "…", so that it is `excess` bytes shorter, or as short as it
    /// can be; nil if it cannot get shorter.
    static func shortened(_ text: String, by excess: Int, _ measure: Measure = .spelled) -> String? {
        let whole = measure.byteCount(text)
        guard whole > ellipsisByteCount, text != ellipsis else { return nil }
        let budget = max(0, whole - excess - ellipsisByteCount)
        var used = 0
        var end = text.startIndex
        while end < text.endIndex {
            let next = text.index(after: end)
            used += measure.byteCount(text[end..<next])
            guard used <= budget else { break }
            end = next
        }
        while end > text.startIndex, case let last = text.index(before: end), joinsWhatFollows(text[last]) {
            end = last
        }
        return text[..<end] + ellipsis
    }

    /// Some scripts have signs that make one character with whatever stands behind them.
    private static func joinsWhatFollows(_ character: Character) -> Bool {
        (String(character) + ellipsis).count == 1
    }
}
