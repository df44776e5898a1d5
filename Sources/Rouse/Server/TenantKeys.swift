import Domain
import Synchronization

/// Allots the keys of new tenants, as the owner of the lease's present epoch.
final class TenantKeys: Sendable {
    private let allocator = Mutex<KeyAllocator?>(nil)

    /// The epoch is ours and was nobody's before.
    func begin(epoch: Int64) {
        allocator.withLock { $0 = KeyAllocator(epoch: epoch, lane: KeyAllocator.sharedLane) }
    }

    /// - Precondition: this process has been the owner, which the
    ///   admin listener sees to: a standby answers 503.
    func allot() -> TenantKey {
        allocator.withLock { allocator in
            guard var present = allocator else { preconditionFailure("a tenant key before the first lease") }
            let key: TenantKey = present.allot()
            allocator = present
            return key
        }
    }
}
