import Domain
import Engine

/// A world has no operators: its tenant is given, and nobody asks for explanations.
struct NoDirectory: DirectoryStore {
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
    func loadProviderToken(_ tenant: TenantKey, keyID: String) async throws(StoreFailure)
        -> StoredProviderToken?
    { nil }
    func saveProviderToken(_ token: StoredProviderToken) async throws(StoreFailure) {}
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
