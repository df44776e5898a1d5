package import Domain
import Synchronization

/// A tenant as the engine needs it.
package struct Tenant: Sendable {
    package let key: TenantKey
    package let name: TenantID
    package var policy: Policy { didSet { sharedPolicy = SharedPolicy(policy) } }
    /// The same, for the users to hold.
    package private(set) var sharedPolicy: SharedPolicy
    package var isPaused: Bool
    /// Decides and explains, sends nothing.
    package var isShadow: Bool

    package init(
        key: TenantKey, name: TenantID, policy: Policy, isPaused: Bool = false, isShadow: Bool = false
    ) {
        self.key = key
        self.name = name
        self.policy = policy
        sharedPolicy = SharedPolicy(policy)
        self.isPaused = isPaused
        self.isShadow = isShadow
    }
}

/// The tenants, shared by all threads; small, read often, changed by operators.
package final class TenantDirectory: Sendable {
    private struct State {
        var byKey: [TenantKey: Tenant] = [:]
        var byName: [TenantID: TenantKey] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    package subscript(_ key: TenantKey) -> Tenant? { state.withLock { $0.byKey[key] } }

    package subscript(_ name: TenantID) -> Tenant? {
        state.withLock { state in state.byName[name].flatMap { state.byKey[$0] } }
    }

    package var all: [Tenant] { state.withLock { Array($0.byKey.values) } }

    package func put(_ tenant: Tenant) {
        state.withLock {
            $0.byKey[tenant.key] = tenant
            $0.byName[tenant.name] = tenant.key
        }
    }

    package func remove(_ key: TenantKey) {
        state.withLock {
            guard let tenant = $0.byKey.removeValue(forKey: key) else { return }
            $0.byName[tenant.name] = nil
        }
    }
}
