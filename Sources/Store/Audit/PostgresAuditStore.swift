package import Domain
package import Engine

/// The audit's reading, over a pool of its own: no shard waits for it.
package struct PostgresAuditStore: AuditStore {
    /// Violations named in an answer; all are counted.
    private static let shown: Int32 = 100
    /// How far the clock may have gone back between an entry and its outcome.
    private static let clockStep: Int64 = 86_400_000

    private let pool: PostgresPool

    /// - Precondition: the pool's sessions have `sessionSettings`.
    package init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// As a shard's: statements that find rows by key, in tables of any size; and nothing is ever written.
    package static let sessionSettings = PostgresShardStore.sessionSettings.merging(
        ["default_transaction_read_only": "on"]
    ) { ours, _ in ours }

    package func prepareRound() async throws(StoreFailure) {
        do throws(DatabaseError) { _ = try await pool.execute(.summarizeEntryTimes) } catch {
            // Refused, as when a vacuum of the table has it: then a round costs more, and finds the same.
            guard case .refused = error else { throw StoreFailure(error) }
        }
    }

    package func auditEntries(_ span: AuditSpan) async throws(StoreFailure) -> AuditedEntries {
        let rows = try await run(.auditEntries) {
            $0.timestamp(span.from)
            $0.timestamp(span.until ?? Self.endOfTime)
            $0.int4(Int32(clamping: span.limit))
            $0.timestamp(span.from + -Self.clockStep)
            $0.int4(Self.shown)
            $0.timestamp(span.settledUntil)
        }
        guard let counts = rows.first({ (entries: $0.int8(), violations: $0.int8()) }) else {
            throw .failed("audit_entries has no answer")
        }
        return AuditedEntries(
            count: Int(counts.entries), violations: Int(counts.violations),
            shown: rows.map { $0.missingDuty() }.compactMap { $0 })
    }

    package func openTasks(
        after place: TaskReference?, limit: Int
    ) async throws(StoreFailure) -> [AuditedTask] {
        try await run(.auditTasks) {
            $0.int8(place?.user.raw ?? 0)
            $0.int8(place?.device.raw ?? 0)
            $0.int8(place?.seq ?? 0)
            $0.int4(Int32(clamping: limit))
        }.map { row in
            let task = row.taskReference()
            return AuditedTask(
                user: UserName(tenant: TenantKey(row.int8()), user: UserID(row.text())), task: task)
        }
    }

    package func stillOpen(
        _ tasks: [AuditedTask]
    ) async throws(StoreFailure) -> [(AuditedTask, DeviceID)] {
        let users = Dictionary(tasks.map { ($0.task.user, $0.user) }) { first, _ in first }
        let rows = try await run(.auditOpenTasks) {
            $0.int8s(tasks) { $0.task.user.raw }
            $0.int8s(tasks) { $0.task.device.raw }
            $0.int8s(tasks) { $0.task.seq }
        }.map { ($0.taskReference(), DeviceID($0.text())) }
        return rows.compactMap { task, device in
            users[task.user].map { (AuditedTask(user: $0, task: task), device) }
        }
    }

    /// 9999-12-31: later than any time that a client can name.
    private static let endOfTime = WallTime(milliseconds: 253_402_214_400_000)

    private func run(
        _ query: Query, _ encode: (inout ParameterWriter) -> Void
    ) async throws(StoreFailure) -> Rows {
        do throws(DatabaseError) { return try await pool.execute(query, encode) } catch {
            throw StoreFailure(error)
        }
    }
}

extension Row {
    /// The primary key of a task.
    fileprivate mutating func taskReference() -> TaskReference {
        TaskReference(user: UserKey(int8()), device: DeviceKey(int8()), seq: int8())
    }

    /// The columns of `audit_entries`; nil in the row that stands for nothing found.
    fileprivate mutating func missingDuty() -> AuditViolation? {
        (_, _) = (int8(), int8())
        guard let tenant = int8OrNil(), let user = textOrNil(), let device = textOrNil(),
            let seq = int8OrNil()
        else { return nil }
        return AuditViolation(
            kind: .missing, user: UserName(tenant: TenantKey(tenant), user: UserID(user)),
            device: DeviceID(device), seq: seq)
    }
}
