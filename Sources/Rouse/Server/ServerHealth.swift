import API
import Domain
import Engine
import EventLoop
import Store

/// Whether this process owns the data and can reach what it needs.
struct ServerHealth: HealthReporting {
    let ownership: Ownership
    let engine: Engine
    let directory: PostgresDirectoryStore
    let leaseGuard: LeaseGuard

    var isStandby: Bool { ownership.state != .owner }

    func readiness() async -> Readiness {
        var missing: [String] = []
        do { try await directory.check() } catch { missing.append("database") }
        switch ownership.state {
        case .owner:
            let now = Instant(milliseconds: MonotonicClock.nowMilliseconds())
            if !leaseGuard.holds(at: now) { missing.append("lease") }
            if await !engine.isOpen() { missing.append("shards") }
        case .standby: missing.append("standby")
        case .stopping: missing.append("stopping")
        }
        return Readiness(missing: missing)
    }
}
