package import Domain
package import Engine
import Synchronization
import Wire

/// Who holds which credential: API keys by hash, client keys by `kid`, both in memory. Any thread.
///
/// Filled from the store at start and changed by the admin calls after their commit.
package final class CredentialDirectory: Sendable {
    private struct State {
        var apiKeys: [[UInt8]: StoredAPIKey] = [:]
        var clientKeys: [TenantKey: ClientKeys] = [:]
        /// In the order they were given, for the list.
        var clientKeyRows: [TenantKey: [StoredClientKey]] = [:]
        var providers: [TenantKey: [String: StoredProviderCredential]] = [:]
        var cache = CredentialCache()
    }

    private let tenants: TenantDirectory
    private let sealing: any SecretSealing
    private let state = Mutex(State())

    package init(tenants: TenantDirectory, sealing: any SecretSealing) {
        self.tenants = tenants
        self.sealing = sealing
    }

    /// Takes what the store knows of keys, instead of all that was known before.
    package func load(_ stored: StoredDirectory) {
        var fresh = State()
        for key in stored.apiKeys { fresh.apiKeys[key.hash] = key }
        for key in stored.clientKeys {
            fresh.clientKeyRows[key.tenant, default: []].append(key)
            guard let opened = ClientKeys.open(key, sealing) else { continue }
            fresh.clientKeys[key.tenant, default: ClientKeys()].add(key.kid, opened)
        }
        for provider in stored.providers {
            fresh.providers[provider.tenant, default: [:]][provider.provider] = provider
        }
        state.withLock { [fresh] in $0 = fresh }
    }

    // MARK: - Verification

    /// The tenant whose API key this is.
    package func tenant(apiKey: some Collection<UInt8>) -> Tenant? {
        guard APIKey.hasShape(apiKey) else { return nil }
        let hash = sealing.hashAPIKey(Array(apiKey))
        guard let tenant = state.withLock({ $0.apiKeys[hash]?.tenant }) else { return nil }
        return tenants[tenant]
    }

    /// Whom a device's credential speaks for, at this time.
    package func device(
        _ token: some Collection<UInt8>, at now: WallTime
    ) throws(CredentialRefusal) -> DeviceIdentity {
        guard token.count <= JWT.maximumByteCount else { throw .invalid }
        let hash = SHA256.hash(Array(token))
        let known = state.withLock { $0.cache[hash] }
        let entry = if let known { known } else { try verify(token, hash) }
        guard let tenant = tenants[entry.tenant] else { throw .invalid }
        try entry.claims.check(at: now, maxAgeSeconds: tenant.policy.credentialMaxAgeSeconds)
        return DeviceIdentity(
            tenant: tenant, user: entry.claims.user, device: entry.claims.device,
            issuedAt: entry.claims.issuedAt, expiresAt: entry.claims.expiresAt)
    }

    private func verify(
        _ token: some Collection<UInt8>, _ hash: [UInt8]
    ) throws(CredentialRefusal) -> CredentialCache.Entry {
        guard let jwt = try? JWT(parsing: token), let root = Self.object(jwt.claims),
            let issuer = root["iss"]?.string, let tenant = tenants[TenantID(issuer)],
            let keys = state.withLock({ $0.clientKeys[tenant.key] }),
            let key = keys.key(named: jwt.keyID), jwt.isSigned(by: key), let claims = DeviceClaims(root)
        else { throw .invalid }
        let entry = CredentialCache.Entry(tenant: tenant.key, claims: claims)
        state.withLock { $0.cache.insert(entry, hash) }
        return entry
    }

    private static func object(_ claims: [UInt8]) -> JSONNode? {
        guard let root = (try? JSONDocument(parsing: claims))?.root, root.kind == .object else { return nil }
        return root
    }

    // MARK: - Changes

    package func add(_ key: StoredAPIKey) { state.withLock { $0.apiKeys[key.hash] = key } }

    package func removeAPIKey(_ tenant: TenantKey, prefix: String) {
        state.withLock { state in
            state.apiKeys = state.apiKeys.filter { $0.value.tenant != tenant || $0.value.prefix != prefix }
        }
    }

    package func replaceClientKeys(_ tenant: TenantKey, _ rows: [StoredClientKey]) {
        var keys = ClientKeys()
        for row in rows {
            if let opened = ClientKeys.open(row, sealing) { keys.add(row.kid, opened) }
        }
        state.withLock { [keys] state in
            state.clientKeys[tenant] = keys
            state.clientKeyRows[tenant] = rows
            state.cache.clear()
        }
    }

    package func put(_ credential: StoredProviderCredential) {
        state.withLock { $0.providers[credential.tenant, default: [:]][credential.provider] = credential }
    }

    package func removeProvider(_ tenant: TenantKey, _ provider: String) {
        state.withLock { $0.providers[tenant]?[provider] = nil }
    }

    package func forget(_ tenant: TenantKey) {
        state.withLock { state in
            state.apiKeys = state.apiKeys.filter { $0.value.tenant != tenant }
            state.clientKeys[tenant] = nil
            state.clientKeyRows[tenant] = nil
            state.providers[tenant] = nil
            state.cache.clear()
        }
    }

    // MARK: - Lists

    /// Oldest first.
    package func apiKeys(of tenant: TenantKey) -> [StoredAPIKey] {
        state.withLock { $0.apiKeys.values.filter { $0.tenant == tenant } }
            .sorted { ($0.createdAt, $0.prefix) < ($1.createdAt, $1.prefix) }
    }

    package func clientKeys(of tenant: TenantKey) -> [StoredClientKey] {
        state.withLock { $0.clientKeyRows[tenant] ?? [] }
    }

    package func provider(_ provider: String, of tenant: TenantKey) -> StoredProviderCredential? {
        state.withLock { $0.providers[tenant]?[provider] }
    }
}
