import API
import Domain
import Engine
import Store

/// Whether this process owns the data and can reach what it needs.
struct ServerHealth: HealthReporting {
    let ownership: Ownership
    let directory: PostgresDirectoryStore
    let leaseGuard: LeaseGuard
    let clock: LeaseClock

    var isStandby: Bool { ownership.state != .owner }

    func readiness() async -> Readiness {
        var missing: [String] = []
        do { try await directory.check() } catch { missing.append("database") }
        switch ownership.state {
        case .owner: if !leaseGuard.holds(at: clock.now()) { missing.append("lease") }
        case .standby: missing.append("standby")
        case .stopping: missing.append("stopping")
        }
        return Readiness(missing: missing)
    }
}
