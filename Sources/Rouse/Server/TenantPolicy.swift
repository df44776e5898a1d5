import Domain
import Engine

/// From a tenant's row to the tenant that the engine knows.
enum TenantPolicy {
    /// - Parameter standard: what the config sets for tenants that do not set their own.
    static func tenant(_ stored: StoredTenant, standard: Policy) -> Tenant {
        Tenant(
            key: stored.key, name: stored.name, policy: standard, isPaused: stored.isPaused,
            isShadow: stored.mode == "shadow")
    }
}
