/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    package static let digestByteCount = SHA256State.digestByteCount

    package static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
        var state = SHA256State()
        state.update(bytes)
        return [UInt8](copying: state.finish().span)
    }

    package static func hash(_ bytes: [UInt8]) -> [UInt8] { hash(bytes.span) }
}

/// SHA-1, only where a format prescribes it: UUID version 5 and the WebSocket accept key.
package enum SHA1 {
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](copying: sha1(bytes.span, Span()).span)
    }
}

extension [UInt8] {
    init(copying bytes: Span<UInt8>) {
        self = []
        append(addingCapacity: bytes.count) { (output: inout OutputSpan<UInt8>) in
            output.append(copying: bytes)
        }
    }
}
