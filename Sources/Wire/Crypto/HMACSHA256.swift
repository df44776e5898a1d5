/// HMAC with SHA-256 (RFC 2104): the key is prepared once, then each code costs two or three
/// compressions and one allocation. A value, so it can be used from several threads at once.
package struct HMACSHA256: Sendable {
    private static let blockByteCount = 64
    private let inner: SHA256State
    private let outer: SHA256State

    package init(key: [UInt8]) {
        var block = key.count > Self.blockByteCount ? SHA256.hash(key) : key
        block.append(contentsOf: repeatElement(0, count: Self.blockByteCount - block.count))
        inner = Self.state(after: block.map { $0 ^ 0x36 })
        outer = Self.state(after: block.map { $0 ^ 0x5C })
    }

    private static func state(after block: [UInt8]) -> SHA256State {
        var state = SHA256State()
        state.update(block.span)
        return state
    }

    package func authenticate(_ message: Span<UInt8>) -> [UInt8] {
        var state = inner
        state.update(message)
        let digest = state.finish()
        state = outer
        state.update(digest.span)
        return [UInt8](copying: state.finish().span)
    }

    package func authenticate(_ message: [UInt8]) -> [UInt8] { authenticate(message.span) }

    package static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        HMACSHA256(key: key).authenticate(message)
    }

    /// Compares in constant time.
    package func isValid(_ code: [UInt8], for message: [UInt8]) -> Bool {
        constantTimeEqual(code, authenticate(message))
    }
}

/// HKDF with SHA-256 (RFC 5869).
package enum HKDF {
    package static let maximumOutputByteCount = 255 * SHA256.digestByteCount

    package static func extract(salt: [UInt8], inputKey: [UInt8]) -> [UInt8] {
        HMACSHA256.authenticate(inputKey, key: salt)
    }

    package static func expand(pseudorandomKey: [UInt8], info: [UInt8], byteCount: Int) -> [UInt8] {
        precondition((0...maximumOutputByteCount).contains(byteCount), "HKDF cannot give \(byteCount) bytes")
        let mac = HMACSHA256(key: pseudorandomKey)
        var output: [UInt8] = []
        var block: [UInt8] = []
        var counter: UInt8 = 0
        while output.count < byteCount {
            counter += 1
            block = mac.authenticate(block + info + [counter])
            output += block
        }
        return Array(output.prefix(byteCount))
    }

    package static func derive(
        inputKey: [UInt8], salt: [UInt8], info: [UInt8], byteCount: Int
    ) -> [UInt8] {
        expand(pseudorandomKey: extract(salt: salt, inputKey: inputKey), info: info, byteCount: byteCount)
    }
}
