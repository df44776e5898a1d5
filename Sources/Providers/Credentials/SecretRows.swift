package import Domain

/// The names under which secrets of the providers are sealed:
/// whoever seals and whoever opens must say the same.
package enum SecretRows {
    /// A tenant's provider credential (`apns`, `fcm`, `webpush`).
    package static func credential(_ tenant: TenantKey, provider: String) -> String {
        "provider_credential/\(tenant.raw)/\(provider)"
    }

    /// The APNs provider token minted last with a key.
    package static func providerToken(_ tenant: TenantKey, keyID: String) -> String {
        "provider_token/\(tenant.raw)/\(keyID)"
    }
}
