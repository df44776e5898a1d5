package import Domain
import Synchronization

/// What the audit has found; `pd1_violations` must stay 0.
package struct AuditStatus: Equatable, Sendable {
    /// One sweep over all entries within their retention, and all open tasks.
    package struct Round: Equatable, Sendable {
        package let startedAt: Moment
        package internal(set) var finishedAt: Moment?
        package internal(set) var entries = 0
        package internal(set) var tasks = 0
        package internal(set) var violations: [AuditViolation.Kind: Int] = [:]

        package var violationCount: Int { violations.values.reduce(0, +) }

        package init(startedAt: Moment) { self.startedAt = startedAt }
    }

    /// The last that went through.
    package internal(set) var last: Round?
    /// The one under way.
    package internal(set) var present: Round?
    /// Since start.
    package internal(set) var rounds: UInt64 = 0
    package internal(set) var entries: UInt64 = 0
    package internal(set) var tasks: UInt64 = 0

    package init() {}

    /// What the last full round found, or the present one has already, whichever is more.
    package var violations: Int {
        max(last?.violationCount ?? 0, present?.violationCount ?? 0)
    }

    package func violations(of kind: AuditViolation.Kind) -> Int {
        max(last?.violations[kind] ?? 0, present?.violations[kind] ?? 0)
    }
}

/// Where the audit writes what it finds, for all who ask. Any thread.
package final class AuditRecord: Sendable {
    private let current = Mutex(AuditStatus())

    package init() {}

    package var status: AuditStatus { current.withLock { $0 } }

    func update(_ change: (inout AuditStatus) -> Void) { current.withLock { change(&$0) } }
}
