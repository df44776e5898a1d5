/// The rows that stand for the shards of this database.
package enum ShardTable {
    /// Makes them if the database is new, and answers with their number: that of the
    /// first start, for good, since users are bound to their shards by it.
    package static func prepare(
        preferredCount: Int, _ pool: PostgresPool
    ) async throws(DatabaseError) -> Int {
        var batch = StatementBatch(.transaction)
        batch.add(.prepareShards) { $0.int4(Int32(preferredCount)) }
        batch.add(.countShards)
        return Int(try await pool.execute(batch)[1].first { $0.int8() } ?? 0)
    }
}
