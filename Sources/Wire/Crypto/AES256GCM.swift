/// AES-256-GCM with a key that is expanded once: about a microsecond for a short text.
///
/// Not for two threads at once; a holder keeps one for itself.
/// With random nonces a key is good for 2³² seals.
package struct AES256GCM: ~Copyable {
    package static let keyByteCount = 32
    package static let nonceByteCount = 12
    package static let tagByteCount = GCMContext.tagByteCount
    /// What `seal` adds to the plaintext.
    package static let overheadByteCount = nonceByteCount + tagByteCount

    private var sealing: GCMContext
    private var opening: GCMContext

    /// Throws `wrongKey` unless the key has 32 bytes.
    package init(key: [UInt8]) throws(CryptoError) {
        guard key.count == Self.keyByteCount else { throw .wrongKey(expected: "32 bytes for AES-256") }
        guard let sealing = GCMContext(key: key, seals: true),
            let opening = GCMContext(key: key, seals: false)
        else { throw .operationFailed("AES-256-GCM key setup") }
        self.sealing = sealing
        self.opening = opening
    }

    /// nonce ‖ ciphertext ‖ tag under a fresh random nonce; `aad` is authenticated but not contained.
    package mutating func seal(_ plaintext: [UInt8], aad: [UInt8] = []) throws(CryptoError) -> [UInt8] {
        try seal(plaintext, aad: aad, nonce: SecureRandom.bytes(count: Self.nonceByteCount))
    }

    /// As `seal`, under a nonce the caller must never use twice with this key.
    package mutating func seal(
        _ plaintext: [UInt8], aad: [UInt8], nonce: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        var sealed: [UInt8] = []
        sealed.reserveCapacity(plaintext.count + Self.overheadByteCount)
        sealed += nonce
        guard sealing.seal(plaintext.span, nonce: nonce.span, aad: aad.span, into: &sealed) else {
            throw .operationFailed("AES-256-GCM seal")
        }
        return sealed
    }

    /// The plaintext of what `seal` gave, nil when anything in it, the key or `aad` differs.
    package mutating func open(_ sealed: [UInt8], aad: [UInt8] = []) -> [UInt8]? {
        guard sealed.count >= Self.overheadByteCount else { return nil }
        let all = sealed.span
        return opening.open(
            all.extracting(Self.nonceByteCount..<sealed.count - Self.tagByteCount),
            tag: all.extracting(last: Self.tagByteCount),
            nonce: all.extracting(0..<Self.nonceByteCount), aad: aad.span)
    }
}

/// AES-128-GCM for message encryption whose key is used once (RFC 8291).
package enum AES128GCM {
    /// ciphertext ‖ tag.
    package static func seal(
        _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], aad: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        guard key.count == 16, var context = GCMContext(key: key, seals: true) else {
            throw .wrongKey(expected: "16 bytes for AES-128")
        }
        var sealed: [UInt8] = []
        guard context.seal(plaintext.span, nonce: nonce.span, aad: aad.span, into: &sealed) else {
            throw .operationFailed("AES-128-GCM seal")
        }
        return sealed
    }

    package static func open(
        _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], aad: [UInt8] = []
    ) -> [UInt8]? {
        let textCount = sealed.count - GCMContext.tagByteCount
        guard key.count == 16, textCount >= 0, var context = GCMContext(key: key, seals: false) else {
            return nil
        }
        return context.open(
            sealed.span.extracting(0..<textCount), tag: sealed.span.extracting(last: GCMContext.tagByteCount),
            nonce: nonce.span, aad: aad.span)
    }
}
