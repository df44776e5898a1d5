/// Percent-encoding of URI parts (RFC 3986 section 2.1).
package enum PercentEncoding {
    /// Decodes one part; nil for a broken escape, for bytes that are not UTF-8 and for NUL.
    package static func decode(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> String? {
        if isPlain(bytes, plusIsSpace) { return String(decoding: bytes, as: UTF8.self) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            var byte = bytes[index]
            if byte == ASCII.percent {
                guard let escaped = escape(bytes, at: index) else { return nil }
                byte = escaped
                index += 2
            } else if plusIsSpace, byte == ASCII.plus {
                byte = ASCII.space
            }
            guard byte != 0 else { return nil }
            decoded.append(byte)
            index += 1
        }
        guard UTF8Sequence.firstError(decoded.span) == nil else { return nil }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// Whether there is nothing to decode or refuse: visible ASCII without `%`.
    private static func isPlain(_ bytes: ArraySlice<UInt8>, _ plusIsSpace: Bool) -> Bool {
        for byte in bytes {
            let isCoded = byte == ASCII.percent || plusIsSpace && byte == ASCII.plus
            guard byte &- 0x21 < 0x5E, !isCoded else { return false }
        }
        return true
    }

    /// Encodes everything but the unreserved characters, fit for a path segment or a query value.
    package static func encode(_ text: String) -> String {
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                encoded.append(byte)
            } else {
                encoded.append(ASCII.percent)
                encoded.append(ASCII.upperHexDigit(byte >> 4))
                encoded.append(ASCII.upperHexDigit(byte & 15))
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static func escape(_ bytes: ArraySlice<UInt8>, at index: Int) -> UInt8? {
        guard index + 2 < bytes.endIndex, let high = ASCII.hexValue(bytes[index + 1]),
            let low = ASCII.hexValue(bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }
}
