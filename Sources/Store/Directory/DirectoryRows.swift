import Domain
import Engine

/// The columns of the directory's statements, in their order.
extension Row {
    mutating func tenant() -> StoredTenant {
        StoredTenant(
            key: TenantKey(int8()), name: TenantID(text()), policy: bytea(), isPaused: bool(), mode: text(),
            createdAt: timestamp())
    }

    mutating func apiKey() -> StoredAPIKey {
        StoredAPIKey(
            tenant: TenantKey(int8()), prefix: text(), hash: bytea(), name: text(), createdAt: timestamp())
    }

    mutating func clientKey() -> StoredClientKey {
        StoredClientKey(tenant: TenantKey(int8()), kid: text(), algorithm: text(), sealed: bytea())
    }

    mutating func providerCredential() -> StoredProviderCredential {
        StoredProviderCredential(
            tenant: TenantKey(int8()), provider: text(), summary: bytea(), sealed: bytea(),
            createdAt: timestamp())
    }

    mutating func storedOutcome() -> StoredOutcome {
        let device = DeviceID(text())
        let seq = int8()
        guard let outcome = Outcome(rawValue: UInt8(int2())) else {
            preconditionFailure("a CHECK holds outcomes")
        }
        return StoredOutcome(
            device: device, seq: seq, outcome: outcome,
            reason: OutcomeReason(rawValue: UInt8(int2())) ?? .none, endedAt: timestamp(), trace: bytea())
    }
}
