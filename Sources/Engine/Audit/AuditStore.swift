package import Domain

/// What the audit of PD-1 reads, over a session of its own: committed rows only, nothing of a shard's memory.
/// Any task may call it.
package protocol AuditStore: Sendable {
    /// Before a round: makes entries cheap to find by time. A round may be made without it.
    func prepareRound() async throws(StoreFailure)

    /// The message entries materialised in a span of time, compared in one snapshot with tasks and outcomes.
    func auditEntries(_ span: AuditSpan) async throws(StoreFailure) -> AuditedEntries

    /// Open tasks behind a place, ascending by key, at most so many.
    func openTasks(after place: TaskReference?, limit: Int) async throws(StoreFailure) -> [AuditedTask]

    /// Which of these tasks are open at this moment, with the ids of their devices.
    func stillOpen(_ tasks: [AuditedTask]) async throws(StoreFailure) -> [(AuditedTask, DeviceID)]
}

/// A span of `materialised_at`: from its beginning, up to but without its end.
package struct AuditSpan: Equatable, Sendable {
    package let from: WallTime
    /// Nil: whatever comes after.
    package let until: WallTime?
    /// More entries than this are not looked at; the answer then is a part.
    package let limit: Int
    /// Of entries from then on the tasks may be on their way to their table: not judged yet.
    package let settledUntil: WallTime

    package init(from: WallTime, until: WallTime?, limit: Int, settledUntil: WallTime) {
        self.settledUntil = settledUntil
        self.from = from
        self.until = until
        self.limit = limit
    }
}

package struct AuditedEntries: Sendable {
    /// Entries of all kinds looked at; the limit: there may be more.
    package let count: Int
    /// (device, entry) with neither task nor justified outcome.
    package let violations: Int
    /// The first of them, for the log.
    package let shown: [AuditViolation]

    package init(count: Int, violations: Int, shown: [AuditViolation]) {
        self.count = count
        self.violations = violations
        self.shown = shown
    }
}

/// An open task as its row has it.
package struct AuditedTask: Sendable {
    package let user: UserName
    package let task: TaskReference

    package init(user: UserName, task: TaskReference) {
        self.user = user
        self.task = task
    }
}

/// One duty that nothing will fulfil: ids only.
package struct AuditViolation: Equatable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// An un-applied entry without a task and without an outcome that policy gives.
        case missing
        /// A task's row that the memory of its shard does not know: nothing drives it.
        case forgotten
        /// A task that is known, and that nothing will move any more.
        case stuck
    }

    package let kind: Kind
    package let user: UserName
    package let device: DeviceID
    package let seq: MailboxSeq

    package init(kind: Kind, user: UserName, device: DeviceID, seq: MailboxSeq) {
        self.kind = kind
        self.user = user
        self.device = device
        self.seq = seq
    }
}
