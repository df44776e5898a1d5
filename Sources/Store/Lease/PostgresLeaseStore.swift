package import Engine

/// The lease, over a pool of its own: no other work may keep a renewal waiting.
package struct PostgresLeaseStore: LeaseStore {
    private let pool: PostgresPool

    package init(_ pool: PostgresPool) {
        self.pool = pool
    }

    package func acquire(owner: String, takeOver: Bool) async throws(StoreFailure) -> LeaseAnswer {
        var batch = StatementBatch()
        batch.add(.acquireLease) {
            $0.text(owner)
            $0.bool(takeOver)
        }
        batch.add(.readLease)
        let answers = try await run(batch)
        if let epoch = answers[0].first({ $0.int8() }) { return .owned(epoch: epoch) }
        guard let held = answers[1].first({ (epoch: $0.int8(), renewals: $0.int8()) }) else {
            throw .failed("the lease has no row")
        }
        return .held(epoch: held.epoch, renewals: held.renewals)
    }

    package func renew(owner: String, epoch: Int64) async throws(StoreFailure) -> Bool {
        try await run(named(.renewLease, owner, epoch))[0].affectedRowCount == 1
    }

    package func release(owner: String, epoch: Int64) async throws(StoreFailure) {
        _ = try await run(named(.releaseLease, owner, epoch))
    }

    private func named(_ query: Query, _ owner: String, _ epoch: Int64) -> StatementBatch {
        var batch = StatementBatch()
        batch.add(query) {
            $0.text(owner)
            $0.int8(epoch)
        }
        return batch
    }

    private func run(_ batch: StatementBatch) async throws(StoreFailure) -> [Rows] {
        do throws(DatabaseError) { return try await pool.execute(batch) } catch { throw StoreFailure(error) }
    }
}
