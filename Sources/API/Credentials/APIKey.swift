package import Domain
package import Engine
import Wire

/// A backend's key: `rk_` and 32 random bytes in base64url; shown once, kept as a keyed hash.
package enum APIKey {
    static let intro = "rk_"
    private static let randomBytes = 32
    /// The intro and six characters: what may be shown later.
    private static let prefixBytes = 9

    /// A fresh key, and what is stored of it.
    package static func make(
        _ tenant: TenantKey, name: String, at now: WallTime, sealing: any SecretSealing
    ) -> (key: String, stored: StoredAPIKey) {
        let key = intro + Base64URL.encode(SecureRandom.bytes(count: randomBytes))
        let stored = StoredAPIKey(
            tenant: tenant, prefix: String(key.prefix(prefixBytes)),
            hash: sealing.hashAPIKey(Array(key.utf8)),
            name: name, createdAt: now)
        return (key, stored)
    }

    /// Whether text may be an API key at all, as opposed to a device's credential.
    static func hasShape(_ text: some Collection<UInt8>) -> Bool {
        text.count == intro.utf8.count + 43 && text.starts(with: intro.utf8)
    }
}
