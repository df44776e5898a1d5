package import Domain

/// Keeps the partitions of recorded outcomes: prepares the coming days, drops those past their retention.
package enum OutcomeRetention {
    /// To be run at start and every few hours; several at once do no harm.
    package static func maintain(
        now: WallTime, keepSeconds: Int64, _ pool: PostgresPool
    ) async throws(DatabaseError) {
        _ = try await pool.execute(.maintainPushOutcome) {
            $0.timestamp(now)
            $0.timestamp(now + -keepSeconds * 1_000)
        }
    }
}
