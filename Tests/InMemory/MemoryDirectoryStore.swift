package import Domain
package import Engine
import Synchronization

/// Tenants, keys and credentials in memory.
package final class MemoryDirectoryStore: DirectoryStore {
    private let database: MemoryDatabase
    private let directory = Mutex(StoredDirectory())

    package init(_ database: MemoryDatabase) { self.database = database }

    package var stored: StoredDirectory { directory.withLock { $0 } }

    private func reach() throws(StoreFailure) {
        if database.isAway { throw .unavailable("away") }
    }

    package func loadDirectory() async throws(StoreFailure) -> StoredDirectory {
        try reach()
        return stored
    }

    package func createTenant(_ tenant: StoredTenant) async throws(StoreFailure) -> Bool {
        try reach()
        return directory.withLock { directory in
            guard !directory.tenants.contains(where: { $0.name == tenant.name }) else { return false }
            directory.tenants.append(tenant)
            return true
        }
    }

    package func updateTenant(_ tenant: StoredTenant) async throws(StoreFailure) {
        try reach()
        directory.withLock { directory in
            directory.tenants = directory.tenants.map { $0.key == tenant.key ? tenant : $0 }
        }
    }

    package func deleteTenant(_ tenant: TenantKey) async throws(StoreFailure) {
        try reach()
        directory.withLock { $0.tenants.removeAll { $0.key == tenant } }
    }

    package func insertAPIKey(_ key: StoredAPIKey) async throws(StoreFailure) {
        try reach()
        directory.withLock { $0.apiKeys.append(key) }
    }

    package func deleteAPIKey(_ tenant: TenantKey, prefix: String) async throws(StoreFailure) -> Bool {
        try reach()
        return directory.withLock { directory in
            let before = directory.apiKeys.count
            directory.apiKeys.removeAll { $0.tenant == tenant && $0.prefix == prefix }
            return directory.apiKeys.count < before
        }
    }

    package func replaceClientKeys(
        _ tenant: TenantKey, _ keys: [StoredClientKey]
    ) async throws(StoreFailure) {
        try reach()
        directory.withLock { directory in
            directory.clientKeys.removeAll { $0.tenant == tenant }
            directory.clientKeys += keys
        }
    }

    package func putProviderCredential(
        _ credential: StoredProviderCredential
    ) async throws(StoreFailure) {
        try reach()
        directory.withLock { directory in
            directory.providers.removeAll {
                $0.tenant == credential.tenant && $0.provider == credential.provider
            }
            directory.providers.append(credential)
        }
    }

    package func deleteProviderCredential(
        _ tenant: TenantKey, provider: String
    ) async throws(StoreFailure) -> Bool {
        try reach()
        return directory.withLock { directory in
            let before = directory.providers.count
            directory.providers.removeAll { $0.tenant == tenant && $0.provider == provider }
            return directory.providers.count < before
        }
    }

    package func loadProviderToken(
        _ tenant: TenantKey, keyID: String
    ) async throws(StoreFailure) -> StoredProviderToken? { nil }

    package func saveProviderToken(_ token: StoredProviderToken) async throws(StoreFailure) {}

    package func tokenHolders(
        _ tenant: TenantKey, lookups: [[UInt8]]
    ) async throws(StoreFailure) -> [TokenHolder] {
        try reach()
        return database.tables.withLock { tables in
            tables.tokens.values.filter { $0.tenant == tenant && lookups.contains($0.token.lookup) }
                .compactMap { row in
                    guard let user = tables.users[row.user], let device = tables.devices[row.device] else {
                        return nil
                    }
                    return TokenHolder(
                        user: user.name.user, device: device.device, lookup: row.token.lookup)
                }
        }
    }

    package func outcomes(
        of message: MessageName, user: UserID
    ) async throws(StoreFailure) -> StoredExplanation? {
        try reach()
        return database.tables.withLock { tables in
            let name = UserName(tenant: message.tenant, user: user)
            guard let seq = tables.seq(of: message.message, name), let known = tables.messages[message],
                let key = tables.keys[name], let entry = tables.entries[key]?[Int(seq) - 1]
            else { return nil }
            let rows = tables.outcomes.filter { $0.user == key && $0.seq == seq }
            return StoredExplanation(
                seq: seq, materialisedAt: entry.materialisedAt, mention: .none, sender: known.sender.user,
                wantsPush: known.wantsPush,
                outcomes: rows.compactMap { row in
                    guard let device = tables.devices[row.device] else { return nil }
                    return StoredOutcome(
                        device: device.device, seq: row.seq, outcome: row.outcome, reason: row.reason,
                        endedAt: row.endedAt, trace: row.trace)
                })
        }
    }

    package func recall(_ message: MessageName, at time: WallTime) async throws(StoreFailure) -> Bool {
        try reach()
        return database.tables.withLock { tables in
            tables.recalled.insert(message)
            return tables.messages[message] != nil
        }
    }

    package func cancelCall(
        _ call: CallName, reason: String, callee: UserID?
    ) async throws(StoreFailure) -> [UserID]? {
        try reach()
        return database.tables.withLock { tables in
            let key = callee.map { tables.keys[UserName(tenant: call.tenant, user: $0)] ?? UserKey(0) }
            return tables.calls.cancel(call, reason: reason, callee: key)?.compactMap {
                tables.users[$0]?.name.user
            }
        }
    }

    package func check() async throws(StoreFailure) { try reach() }
}
