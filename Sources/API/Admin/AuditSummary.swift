import Domain
import Engine
import Telemetry
import Wire

/// What the audit of PD-1 has found, for people and for Prometheus.
struct AuditSummary: Sendable {
    let status: AuditStatus
    let now: Instant

    /// Nil before the first full round of this process.
    private var ageMilliseconds: Int64? { status.last?.finishedAt.map { now - $0.instant } }

    private var roundMilliseconds: Int64? {
        status.last.flatMap { round in round.finishedAt.map { $0.instant - round.startedAt.instant } }
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("pd1_violations", status.violations)
        for kind in AuditViolation.Kind.allCases { writer.member(kind.word, status.violations(of: kind)) }
        writer.member("rounds", Int64(clamping: status.rounds))
        writer.member("entries", Int64(clamping: status.entries))
        writer.member("tasks", Int64(clamping: status.tasks))
        writer.member("last_round_entries", status.last?.entries ?? 0)
        if let age = ageMilliseconds { writer.member("last_round_age_ms", age) }
        if let duration = roundMilliseconds { writer.member("last_round_ms", duration) }
        writer.endObject()
    }

    func write(to text: inout PrometheusText) {
        text.sample(.pd1Violations, [], Double(status.violations))
        text.sample(.auditRounds, [], Double(status.rounds))
        text.sample(.auditedEntries, [], Double(status.entries))
        text.sample(.auditedTasks, [], Double(status.tasks))
        if let duration = roundMilliseconds { text.sample(.auditRoundDuration, [], Double(duration) / 1_000) }
        if let age = ageMilliseconds { text.sample(.auditAge, [], Double(age) / 1_000) }
    }
}

extension AuditViolation.Kind {
    fileprivate var word: StaticString {
        switch self {
        case .missing: "missing"
        case .forgotten: "forgotten"
        case .stuck: "stuck"
        }
    }
}
