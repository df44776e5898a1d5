/// Text known when the code was written: appended and compared as bytes, with nothing counted or allocated.
///
/// With the block copy below the only place in the text protocols
/// that touches raw memory; a `StaticString` lives as long as the program.
enum StaticText {
    static func append(_ text: StaticString, to bytes: inout [UInt8]) {
        text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    }

    static func append(_ text: StaticString, to output: inout OutputSpan<UInt8>) {
        text.withUTF8Buffer { unsafe output.append(copying: $0.span) }
    }

    /// Whether bytes, letters lowered, are a text that is lower-case already.
    static func equalIgnoringCase(
        _ bytes: Span<UInt8>, _ range: Range<Int>, _ lowercase: StaticString
    ) -> Bool {
        guard range.count == lowercase.utf8CodeUnitCount else { return false }
        return lowercase.withUTF8Buffer { text in
            for offset in 0..<text.count {
                guard unsafe ASCII.lowercased(bytes[range.lowerBound + offset]) == text[offset] else {
                    return false
                }
            }
            return true
        }
    }

    /// Whether bytes are a text, letter by letter.
    static func equal(_ bytes: Span<UInt8>, _ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { text in
            for offset in 0..<text.count {
                guard unsafe bytes[range.lowerBound + offset] == text[offset] else { return false }
            }
            return true
        }
    }
}

extension OutputSpan<UInt8> {
    /// Appends a run of bytes at once, where `append` checks the room for each.
    mutating func append(copying bytes: Span<UInt8>) {
        unsafe withUnsafeMutableBufferPointer { room, count in
            precondition(bytes.count <= room.count - count, "no room for the bytes")
            _ = unsafe bytes.withUnsafeBufferPointer { bytes in
                unsafe room[count...].update(fromContentsOf: bytes)
            }
            count += bytes.count
        }
    }
}
