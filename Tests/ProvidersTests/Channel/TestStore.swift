import Domain
import Engine
import Synchronization

/// Keeps provider tokens; nothing else of the directory is asked for by senders.
final class TestStore: DirectoryStore {
    private let contents = Mutex(Contents())

    private struct Contents {
        var tokens: [String: StoredProviderToken] = [:]
        var saves = 0
    }

    var saves: Int { contents.withLock { $0.saves } }

    func loadProviderToken(_ tenant: TenantKey, keyID: String) async throws(StoreFailure)
        -> StoredProviderToken?
    {
        contents.withLock { $0.tokens["\(tenant.raw)/\(keyID)"] }
    }

    func saveProviderToken(_ token: StoredProviderToken) async throws(StoreFailure) {
        contents.withLock { contents in
            contents.tokens["\(token.tenant.raw)/\(token.keyID)"] = token
            contents.saves += 1
        }
    }

    func loadDirectory() async throws(StoreFailure) -> StoredDirectory { StoredDirectory() }
    func createTenant(_ tenant: StoredTenant) async throws(StoreFailure) -> Bool { false }
    func updateTenant(_ tenant: StoredTenant) async throws(StoreFailure) {}
    func deleteTenant(_ tenant: TenantKey) async throws(StoreFailure) {}
    func insertAPIKey(_ key: StoredAPIKey) async throws(StoreFailure) {}
    func deleteAPIKey(_ tenant: TenantKey, prefix: String) async throws(StoreFailure) -> Bool { false }
    func replaceClientKeys(_ tenant: TenantKey, _ keys: [StoredClientKey]) async throws(StoreFailure) {}
    func putProviderCredential(_ credential: StoredProviderCredential) async throws(StoreFailure) {}
    func deleteProviderCredential(_ tenant: TenantKey, provider: String) async throws(StoreFailure) -> Bool {
        false
    }
    func tokenHolders(_ tenant: TenantKey, lookups: [[UInt8]]) async throws(StoreFailure) -> [TokenHolder] {
        []
    }
    func outcomes(of message: MessageName, user: UserID) async throws(StoreFailure) -> StoredExplanation? {
        nil
    }
    func recall(_ message: MessageName, at time: WallTime) async throws(StoreFailure) -> Bool { false }
    func cancelCall(
        _ call: CallName, reason: String, callee: UserID?
    ) async throws(StoreFailure) -> [UserID]? { nil }
    func check() async throws(StoreFailure) {}
}
