import Wire

/// The 32 random bytes from which every key of this server is derived; they are in no database.
///
/// Each purpose has a key of its own (HKDF-SHA256), so that what one reveals says nothing of another.
package struct MasterKey: Sendable {
    static let byteCount = 32

    /// What may be shown and stored: 16 hex digits that say which key this is, not what it is.
    package let id: String
    private let pseudorandom: [UInt8]

    /// - Precondition: 32 bytes.
    package init(bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount)
        pseudorandom = HKDF.extract(salt: Array("rouse master key 1".utf8), inputKey: bytes)
        id = Hex.encode(HKDF.expand(pseudorandomKey: pseudorandom, info: Array("id".utf8), byteCount: 8))
    }

    func derived(for purpose: Purpose) -> [UInt8] {
        HKDF.expand(pseudorandomKey: pseudorandom, info: Array(purpose.rawValue.utf8), byteCount: 32)
    }

    enum Purpose: String {
        case seal, lookup, collapse
        case apiKeyHash = "api-key-hash"
    }
}
