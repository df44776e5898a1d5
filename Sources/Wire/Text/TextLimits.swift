/// Limits on text from outside.
package enum TextLimits {
    /// The longest id in bytes.
    package static let idBytes = 128
    private static let ellipsis = "…"

    /// Whether text may be an id of the interface: 1–128 bytes without control characters (C0, DEL, C1).
    package static func isValidID(_ text: String) -> Bool {
        let bytes = text.utf8.span
        guard !bytes.isEmpty, bytes.count <= idBytes else { return false }
        var index = ByteScan.controlOrBeyondASCII(bytes, from: 0)
        while index < bytes.count {
            let isC1 = bytes[index] == 0xC2 && bytes[index + 1] < 0xA0
            guard bytes[index] >= 0x80, !isC1 else { return false }
            index = ByteScan.controlOrBeyondASCII(bytes, from: index + 1)
        }
        return true
    }

    /// Text cut at a character boundary to at most `bytes` bytes, "…" included;
    /// unchanged if it fits. Where not even "…" has room the text is cut without it.
    package static func truncated(_ text: String, toUTF8Bytes bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        let mark = bytes >= ellipsis.utf8.count ? ellipsis : ""
        let room = max(0, bytes - mark.utf8.count)
        let utf8 = text.utf8
        let cut = text.index(roundingDownToCharacter: utf8.index(utf8.startIndex, offsetBy: room))
        return text[..<cut] + mark
    }

    /// Whether bytes are well-formed UTF-8 (no surrogates, no overlong forms).
    package static func isValidUTF8(_ bytes: [UInt8]) -> Bool { UTF8Sequence.firstError(bytes.span) == nil }
}

extension String {
    /// The last character boundary at or before a place.
    fileprivate func index(roundingDownToCharacter place: Index) -> Index {
        guard place < endIndex else { return endIndex }
        let next = index(after: place)
        let boundary = index(before: next)
        return boundary <= place ? boundary : startIndex
    }
}
