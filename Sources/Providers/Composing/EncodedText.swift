/// Text measured as it will be spelled inside a JSON string.
enum EncodedText {
    static let ellipsis = "…"
    private static let ellipsisByteCount = 3

    static func byteCount(_ text: some Sequence<UInt8>) -> Int {
        text.reduce(0) { $0 + byteCount($1) }
    }

    private static func byteCount(_ byte: UInt8) -> Int {
        switch byte {
        case 0x22, 0x5C, 0x08, 0x09, 0x0A, 0x0C, 0x0D: 2
        case 0x00..<0x20: 6
        default: 1
        }
    }

    /// The text cut between two characters, with "…", so that it is `excess` bytes shorter, or as short as it
    /// can be; nil if it cannot get shorter.
    static func shortened(_ text: String, by excess: Int) -> String? {
        let whole = byteCount(text.utf8)
        guard whole > ellipsisByteCount, text != ellipsis else { return nil }
        let budget = max(0, whole - excess - ellipsisByteCount)
        var used = 0
        var end = text.startIndex
        while end < text.endIndex {
            let next = text.index(after: end)
            used += byteCount(text[end..<next].utf8)
            guard used <= budget else { break }
            end = next
        }
        return text[..<end] + ellipsis
    }
}
