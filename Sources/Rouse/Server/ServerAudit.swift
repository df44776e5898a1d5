import Domain
import Engine
import EventLoop
import Telemetry

/// The audit of PD-1 as it runs in a server that owns the data.
enum ServerAudit {
    static func run(
        _ core: ServerCore, _ store: ServerStore, _ config: Config, _ logger: Logger
    ) -> Task<Void, Never> {
        var settings = Auditor.Settings()
        settings.rowsPerSecond = config.limits.auditRowsPerSecond
        settings.pauseMilliseconds = config.limits.auditPauseMilliseconds
        settings.retentionSeconds = config.policy.explainRetentionSeconds
        let tenants = core.engine.tenants
        let auditor = Auditor(core.engine, store.audit, settings, AuditClock()) { violation in
            logger.error(
                "pd1 violation", .id("kind", violation.kind.rawValue),
                .tenant(tenants[violation.user.tenant]?.name.text ?? ""), .user(violation.user.user.text),
                .device(violation.device.text), .number("mailbox_seq", violation.seq))
        }
        let ownership = core.ownership
        return Task.detached { await auditor.run { ownership.state == .owner } }
    }
}

/// The machine's clocks, and pauses that a cancelled task does not sit out.
private struct AuditClock: Auditor.Clock {
    func now() -> Moment {
        Moment(
            instant: Instant(milliseconds: MonotonicClock.nowMilliseconds()),
            wall: WallTime(milliseconds: WallClock.now()))
    }

    func pause(milliseconds: Int64) async throws {
        try await Task.sleep(for: .milliseconds(milliseconds))
    }
}
