/// Limits on text from outside.
package enum TextLimits {
    /// Whether text may be an id of the interface: 1–128 bytes without control characters.
    package static func isValidID(_ text: String) -> Bool { false }

    /// Text cut at a character boundary to at most `bytes` bytes, "…" included; unchanged if it fits.
    package static func truncated(_ text: String, toUTF8Bytes bytes: Int) -> String { text }

    /// Whether bytes are well-formed UTF-8 (no surrogates, no overlong forms).
    package static func isValidUTF8(_ bytes: ArraySlice<UInt8>) -> Bool { false }
}
