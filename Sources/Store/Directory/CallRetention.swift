package import Domain

/// Forgets calls that have been over for long; until then a repeat finds them.
package enum CallRetention {
    /// To be run at start and every few hours; several at once do no harm.
    package static func maintain(
        now: WallTime, keepSeconds: Int64, _ pool: PostgresPool
    ) async throws(DatabaseError) {
        _ = try await pool.execute(.deleteOldCalls) { $0.timestamp(now + -keepSeconds * 1_000) }
    }
}
