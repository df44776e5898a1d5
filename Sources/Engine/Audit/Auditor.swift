package import Domain

/// Checks PD-1 in production, round after round, from the committed rows: whether every un-applied, allowed
/// entry of a device has a task or an outcome, and whether the shards know the tasks that are open.
///
/// It shares nothing with the decisions it checks. What it may cost is bounded: so many rows a second, on a
/// session of its own, in statements that look at a limited number of rows.
package actor Auditor {
    package struct Settings: Sendable {
        /// Rows looked at per second, on average.
        package var rowsPerSecond = 4_000
        /// Between two rounds.
        package var pauseMilliseconds: Int64 = 10_000
        /// Outcomes older than this are gone, and their entries not judged.
        package var retentionSeconds: Int64 = 259_200
        /// Rows a statement should look at; spans of time are cut to fit.
        package var rowsPerPage = 1_000
        /// Violations told to `report`, per round.
        package var reportsPerRound = 20

        package init() {}
    }

    /// Time as the auditor needs it; a test passes its own.
    package protocol Clock: Sendable {
        func now() -> Moment
        func pause(milliseconds: Int64) async throws
    }

    private static let afterFailure: Int64 = 1_000
    /// Tasks reach their table within some seconds, or with the shard's next opening.
    private static let settling: Int64 = 10_000
    /// Failures in a row before a round is given up.
    private static let patience = 30

    private let engine: Engine
    private let store: any AuditStore
    private let settings: Settings
    private let clock: any Clock
    private let report: @Sendable (AuditViolation) -> Void
    private var reported = 0
    /// In a row.
    private var failures = 0
    /// How much time a statement spans: grows where little happened, shrinks where much did.
    private var width: Int64 = 3_600_000

    /// `report` is told the first violations of each round, for the log.
    package init(
        _ engine: Engine, _ store: any AuditStore, _ settings: Settings, _ clock: any Clock,
        report: @escaping @Sendable (AuditViolation) -> Void
    ) {
        self.engine = engine
        self.store = store
        self.settings = settings
        self.clock = clock
        self.report = report
    }

    /// Runs until cancelled. Rounds are made only while `isOwner`.
    package func run(while isOwner: @Sendable () -> Bool) async {
        while !Task.isCancelled {
            if isOwner() { try? await round() }
            do { try await clock.pause(milliseconds: settings.pauseMilliseconds) } catch { return }
        }
    }

    /// One full round; throws if it was not finished.
    package func round() async throws {
        (reported, failures) = (0, 0)
        engine.audit.update { [now = clock.now()] in $0.present = AuditStatus.Round(startedAt: now) }
        defer { engine.audit.update { $0.present = nil } }
        try await store.prepareRound()
        try await auditEntries()
        try await auditTasks()
        engine.audit.update { [now = clock.now()] in
            $0.rounds += 1
            $0.last = $0.present
            $0.last?.finishedAt = now
        }
    }

    // MARK: - Entries

    private func auditEntries() async throws {
        let now = clock.now().wall
        let retention = settings.retentionSeconds * 1_000
        // Outcomes leave by the day, and clocks differ: what is about to leave is not judged.
        var from = now + -(retention - min(3_600_000, retention / 4))
        while let until = try await auditSpan(from: from, now: now) { from = until }
    }

    /// Answers where the next span begins; nil after the last.
    private func auditSpan(from: WallTime, now: WallTime) async throws -> WallTime? {
        let end = from + width
        let isLast = end >= now
        // A millisecond is taken whole, however much happened in it.
        let limit = width == 1 ? Int(Int32.max) : settings.rowsPerPage * 4
        let span = AuditSpan(
            from: from, until: isLast ? nil : end, limit: limit, settledUntil: now + -Self.settling)
        let found: AuditedEntries
        do { found = try await store.auditEntries(span) } catch {
            // It may have been too much at a time. What a success gives back, so that faults of another kind
            // do not make a round endless.
            width = max(min(width, 1_000), width / 2)
            try await bear(error)
            return from
        }
        failures = 0
        if found.count >= limit {
            width = max(1, width / 8)
            try await pause(rows: limit)
            return from
        }
        if found.count > settings.rowsPerPage { width = max(1, width / 2) }
        if found.count < settings.rowsPerPage / 2 {
            width = min(width * 2, settings.retentionSeconds * 1_000)
        }
        engine.audit.update {
            $0.entries += UInt64(found.count)
            $0.present?.entries += found.count
        }
        count(found.violations, .missing, found.shown)
        try await pause(rows: found.count)
        return isLast ? nil : end
    }

    // MARK: - Tasks

    private func auditTasks() async throws {
        var place: TaskReference?
        while true {
            do {
                let page = try await store.openTasks(after: place, limit: settings.rowsPerPage)
                if !page.isEmpty { try await audit(page) }
                failures = 0
                try await pause(rows: page.count)
                guard page.count == settings.rowsPerPage, let last = page.last else { return }
                place = last.task
            } catch { try await bear(error) }
        }
    }

    /// Asks the shards first and the rows again afterwards: a shard answers after the commit of everything
    /// that it had decided when it was asked, so what is open still and was not known is lost.
    private func audit(_ page: [AuditedTask]) async throws {
        let doubts = try await engine.doubts(page).get()
        var found: [AuditViolation] = []
        for kind in [AuditViolation.Kind.forgotten, .stuck] {
            let doubted = doubts.filter { $0.kind == kind }.map(\.task)
            if doubted.isEmpty { continue }
            found += try await store.stillOpen(doubted).map { task, device in
                AuditViolation(kind: kind, user: task.user, device: device, seq: task.task.seq)
            }
        }
        engine.audit.update {
            $0.tasks += UInt64(page.count)
            $0.present?.tasks += page.count
        }
        for (kind, violations) in Dictionary(grouping: found, by: \.kind) {
            count(violations.count, kind, violations)
        }
    }

    // MARK: - Counting

    private func count(_ count: Int, _ kind: AuditViolation.Kind, _ shown: [AuditViolation]) {
        guard count > 0 else { return }
        engine.audit.update { $0.present?.violations[kind, default: 0] += count }
        for violation in shown.prefix(max(0, settings.reportsPerRound - reported)) {
            reported += 1
            report(violation)
        }
    }

    /// The database may be away, or a shard still be reading back: a round of hours is not begun anew for it.
    private func bear(_ error: any Error) async throws {
        failures += 1
        if error is CancellationError || failures > Self.patience { throw error }
        try Task.checkCancellation()
        try await clock.pause(milliseconds: Self.afterFailure)
    }

    private func pause(rows: Int) async throws {
        try Task.checkCancellation()
        let milliseconds = Int64(rows) * 1_000 / Int64(settings.rowsPerSecond)
        if milliseconds > 0 { try await clock.pause(milliseconds: milliseconds) }
    }
}
