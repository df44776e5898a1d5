package import Domain
package import Engine
import Synchronization

/// The tenants as stored, beside the engine's view of them. Any thread.
package final class TenantRegistry: Sendable {
    private let tenants: TenantDirectory
    let defaults: Policy
    private let rows = Mutex<[TenantKey: StoredTenant]>([:])

    /// `defaults`: the server's policy, which a tenant's own keys lie on top of.
    package init(tenants: TenantDirectory, defaults: Policy) {
        self.tenants = tenants
        self.defaults = defaults
    }

    /// Takes what the store has, instead of all that was known: at start, and when the lease was taken over.
    package func load(_ stored: StoredDirectory) {
        let fresh = Dictionary(stored.tenants.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
        rows.withLock { $0 = fresh }
        for tenant in tenants.all where fresh[tenant.key] == nil { tenants.remove(tenant.key) }
        for row in stored.tenants { tenants.put(tenant(row)) }
    }

    /// By name.
    package var all: [StoredTenant] { rows.withLock { $0.values.sorted { $0.name < $1.name } } }

    package func row(_ name: TenantID) -> StoredTenant? {
        guard let key = tenants[name]?.key else { return nil }
        return rows.withLock { $0[key] }
    }

    /// The engine's view of a row.
    func tenant(_ row: StoredTenant) -> Tenant {
        Tenant(
            key: row.key, name: row.name, policy: PolicyDocument(stored: row.policy).policy(over: defaults),
            isPaused: row.isPaused, isShadow: row.mode == "shadow")
    }

    func put(_ row: StoredTenant) { rows.withLock { $0[row.key] = row } }

    func remove(_ key: TenantKey) {
        rows.withLock { $0[key] = nil }
        tenants.remove(key)
    }
}
