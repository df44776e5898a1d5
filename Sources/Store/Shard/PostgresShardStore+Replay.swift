import Engine

/// A row of `shard_journal`.
struct StoredPage {
    let position: Int64
    let changes: [UInt8]
}

extension PostgresShardStore {
    /// Writes to the tables what a former life has left in the journal. Answers with what could not be
    /// written, which is set aside: of the others nobody should have to wait for it.
    func replay(_ pages: [StoredPage], _ done: @escaping (Result<[String], StoreFailure>) -> Void) {
        guard let first = pages.first, let last = pages.last else { return done(.success([])) }
        let decoded = pages.map { JournalEncoding.decode($0.changes) }
        guard decoded.allSatisfy({ $0 != nil }) else { return replayEach(pages[...], [], done) }
        var pending = PendingRows()
        for page in decoded { page.map { pending.add($0, at: nil) } }
        let rest = pending.take { _, _ in true }.page
        write(rest, from: first.position...last.position) { [self] result in
            guard case .failure(.failed) = result else { return done(result.map { [] }) }
            replayEach(pages[...], [], done)
        }
    }

    /// One transaction each, until the one at fault is found.
    private func replayEach(
        _ pages: ArraySlice<StoredPage>, _ defects: [String],
        _ done: @escaping (Result<[String], StoreFailure>) -> Void
    ) {
        guard let page = pages.first else { return done(.success(defects)) }
        let next = { [self] (defect: String?) in
            guard let defect else { return replayEach(pages.dropFirst(), defects, done) }
            setAside(page) { [self] result in
                guard case .success = result else { return done(result.map { _ in [] }) }
                replayEach(pages.dropFirst(), defects + ["journal page \(page.position): \(defect)"], done)
            }
        }
        guard let rows = JournalEncoding.decode(page.changes) else { return next("not of this form") }
        write(rows, from: page.position...page.position) { result in
            switch result {
            case .success: next(nil)
            case .failure(.failed(let text)): next(text)
            case .failure(let failure): done(.failure(failure))
            }
        }
    }

    private func write(
        _ rows: JournalPage, from places: ClosedRange<Int64>,
        _ done: @escaping (Result<Void, StoreFailure>) -> Void
    ) {
        var batch = fenced()
        batch.append(rows, shard: shard)
        batch.trimJournal(places, shard: shard)
        run(batch) { done($0.map { _ in }) }
    }

    private func setAside(_ page: StoredPage, _ done: @escaping (Result<Void, StoreFailure>) -> Void) {
        var batch = fenced()
        batch.add(.setJournalAside) { [shard] in
            $0.int2(shard)
            $0.int8(page.position)
        }
        run(batch) { done($0.map { _ in }) }
    }
}
