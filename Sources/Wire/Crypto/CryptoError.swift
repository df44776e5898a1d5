/// Why a key, certificate or token could not be used. No case carries key material.
package enum CryptoError: Error, Equatable, Sendable {
    /// Not PEM, or no block of the wanted kind in it.
    case malformedPEM
    /// The key is encrypted with a passphrase.
    case encryptedKey
    /// DER that is no key, or a key of another kind or size than asked for.
    case wrongKey(expected: String)
    /// The library refused to compute; never the caller's data alone.
    case operationFailed(String)
}
