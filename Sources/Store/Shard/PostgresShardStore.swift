import Domain
package import Engine
package import EventLoop

/// One shard's part of the database, over one session of its own on the shard's loop.
///
/// What is likely to change again soon is written to the shard's journal first, and to its table about a
/// second later, as it is then (decision 0023). Whoever opens the shard first writes what its journal holds.
///
/// Every transaction names the life that `open` began. After a failure whose effect is unknown nothing is
/// done until the next `open`, which ends the former session and shuts out what may still run in it.
package final class PostgresShardStore: ShardStore {
    /// Statements here find rows by key. A plan made while a
    /// table was small must not scan it once it is large.
    static let sessionSettings = [
        "plan_cache_mode": "force_generic_plan", "enable_seqscan": "off", "enable_hashjoin": "off",
        "enable_mergejoin": "off", "rouse.reads_journal": "on",
        "rouse.journal_format": "\(JournalEncoding.format)",
    ]

    let shard: Int16
    let epoch: Int64
    let loop: EventLoop
    let pool: PostgresPool
    var life: Int64?
    var journal: ShardJournal
    private var isWatchingJournal = false
    /// What is due is being written, with no commit.
    private var isWritingDue = false
    private let sessionName: String
    private var transaction = StatementBatch(.transaction)

    /// - Parameters:
    ///   - shard: below the number the database was made with.
    ///   - epoch: of the lease that this process holds.
    ///   - journal: how far the tables may lag behind what is committed.
    package init(
        shard: Int, epoch: Int64, _ configuration: PostgresConfiguration, on loop: EventLoop,
        journal: JournalLimits = JournalLimits()
    ) {
        var configuration = configuration
        configuration.applicationName += " shard \(shard)"
        configuration.settings.merge(Self.sessionSettings) { _, ours in ours }
        self.shard = Int16(shard)
        self.epoch = epoch
        self.loop = loop
        self.journal = ShardJournal(journal)
        sessionName = configuration.applicationName
        pool = PostgresPool(configuration, on: loop, size: 1)
    }

    package func open(_ done: @escaping (Result<ShardOpening, StoreFailure>) -> Void) {
        life = nil
        pool.disconnect()
        endFormerSessions { [self] failure in
            if let failure { return done(.failure(failure)) }
            takeShard(done)
        }
    }

    package func load(
        _ request: LoadRequest, _ done: @escaping (Result<LoadedBatch, StoreFailure>) -> Void
    ) {
        guard request.readsTasks else { return loadUsers(request, done) }
        settle { [self] failure in
            if let failure { return done(.failure(failure)) }
            loadUsers(request, done)
        }
    }

    package func commit(
        _ changes: ChangeSet, _ done: @escaping (Result<Committed, StoreFailure>) -> Void
    ) {
        let page = JournalPage(changes)
        if journal.takes(page), !changes.marksDrained, !changes.settles {
            write(changes, journal.takeDue(before: page), keeping: page, done)
        } else {
            write(changes, journal.takeAll(before: page), done)
        }
    }

    package func close() {
        life = nil
        pool.close()
    }

    // MARK: Writing

    private func begin() {
        transaction.removeAll()
        addFence(to: &transaction)
    }

    /// A transaction of this life, still without effect.
    func fenced() -> StatementBatch {
        var batch = StatementBatch(.transaction)
        addFence(to: &batch)
        return batch
    }

    private func addFence(to batch: inout StatementBatch) {
        batch.add(.fenceShard) { [shard, epoch, life] in
            $0.int2(shard)
            $0.int8(epoch)
            $0.int8(life)
        }
    }

    /// Writes to the tables, and with it what leaves the journal; a page is kept in the journal.
    private func write(
        _ changes: ChangeSet, _ leaving: PendingRows.Leaving, keeping page: JournalPage = JournalPage(),
        _ done: @escaping (Result<Committed, StoreFailure>) -> Void
    ) {
        begin()
        leaving.places.map { transaction.trimJournal($0, shard: shard) }
        let position = page.rowCount > 0 ? journal.allot() : nil
        if let position { transaction.appendJournal(page, at: position, shard: shard) }
        let digests = transaction.append(changes, leaving.page, shard: shard)
        run(transaction) { [self] result in
            switch result {
            case .success: if let position { committed(page, at: position) }
            // What left the journal is in the database still, and in no memory: the shard has to be opened
            // anew.
            case .failure: if leaving.places != nil { life = nil }
            }
            done(result.map { rows in Committed(digestRevisions: digests.flatMap { rows[$0].revisions }) })
        }
    }

    private func committed(_ page: JournalPage, at position: Int64) {
        journal.add(page, at: position)
        watchJournal()
    }

    /// The next commits write what is due, if there are any.
    private func watchJournal() {
        guard !journal.isEmpty, !isWatchingJournal else { return }
        isWatchingJournal = true
        loop.timers.arm(afterMilliseconds: journal.limits.milliseconds) { [weak self] in
            guard let self else { return }
            isWatchingJournal = false
            writeDue()
            watchJournal()
        }
    }

    private func writeDue() {
        if isWritingDue { return }
        let due = journal.takeDue()
        guard due.places != nil else { return }
        isWritingDue = true
        write(ChangeSet(), due) { [self] _ in isWritingDue = false }
    }

    /// Writes what waits, after what is being written. After a failure the shard has to be opened anew.
    private func settle(_ done: @escaping (StoreFailure?) -> Void) {
        guard !journal.isEmpty || isWritingDue else { return done(nil) }
        write(ChangeSet(), journal.takeAll(before: JournalPage())) { result in
            if case .failure(let failure) = result { done(failure) } else { done(nil) }
        }
    }

    // MARK: Opening

    /// A session that stands still inside a transaction would hold the row for as long as it stands.
    /// That we may not end it is no reason to stay away: then the row's lock is waited for.
    private func endFormerSessions(_ done: @escaping (StoreFailure?) -> Void) {
        var batch = StatementBatch()
        batch.add(.endFormerSessions) { [shard, epoch, sessionName] in
            $0.int2(shard)
            $0.int8(epoch)
            $0.text(sessionName)
        }
        pool.run(batch) { answer in
            switch answer {
            case .success, .failure(.refused): done(nil)
            case .failure(let error): done(StoreFailure(error))
            }
        }
    }

    /// Takes the shard and looks, in one transaction: until it commits, whoever drained it has. What a crash
    /// has left in the journal is written then, and looked at again.
    private func takeShard(_ done: @escaping (Result<ShardOpening, StoreFailure>) -> Void) {
        var batch = StatementBatch(.transaction)
        batch.add(.takeShard) { [shard, epoch] in
            $0.int2(shard)
            $0.int8(epoch)
        }
        batch.add(.loadJournal) { [shard] in $0.int2(shard) }
        batch.addLook(at: shard)
        pool.run(batch) { [self] answer in
            switch answer {
            case .failure(let error): done(.failure(StoreFailure(error)))
            case .success(let rows):
                guard let taken = rows[0].first({ (life: $0.int8(), wasDrained: $0.bool()) }) else {
                    return done(.failure(.fenced))
                }
                life = taken.life
                journal.begin()
                let pages = rows[1].map { StoredPage(position: $0.int8(), changes: $0.bytea()) }
                guard pages.isEmpty else { return openAfterReplay(of: pages, done) }
                done(.success(ShardOpening(rows[2...], wasDrained: taken.wasDrained)))
            }
        }
    }

    /// A drain leaves no journal: nobody has drained this shard.
    private func openAfterReplay(
        of pages: [StoredPage], _ done: @escaping (Result<ShardOpening, StoreFailure>) -> Void
    ) {
        replay(pages) { [self] result in
            switch result {
            case .failure(let failure): done(.failure(failure))
            case .success(let defects):
                var batch = StatementBatch(.transaction)
                batch.addLook(at: shard)
                run(batch) { result in
                    done(result.map { ShardOpening($0[...], wasDrained: false, defects: defects) })
                }
            }
        }
    }

    // MARK: Loading

    private func loadUsers(
        _ request: LoadRequest, _ done: @escaping (Result<LoadedBatch, StoreFailure>) -> Void
    ) {
        let load = ShardLoad(request, shard: shard)
        guard let users = load.users else { return run(load, of: nil, request, done) }
        // As they are now: what is read may be older than what leaves the journal meanwhile.
        run(users) { [self, records = journal.records] result in
            switch result {
            case .failure(let failure): done(.failure(failure))
            case .success(let rows): run(load, of: load.found(rows[0], records), request, done)
            }
        }
    }

    /// The second step. Of new users alone nothing is left to be asked.
    private func run(
        _ load: ShardLoad, of users: UserRows?, _ request: LoadRequest,
        _ done: @escaping (Result<LoadedBatch, StoreFailure>) -> Void
    ) {
        let statements = load.statements(of: users)
        guard !statements.isEmpty else { return later { done(load.read([], of: users)) } }
        run(statements) { [self] result in
            switch result.flatMap({ load.read($0, of: users) }) {
            case .failure(let failure): done(.failure(failure))
            case .success(let loaded): addRecipients(to: loaded, of: request, done)
            }
        }
    }

    /// Another question, asked only for messages that are there already: repeats are rare.
    private func addRecipients(
        to loaded: LoadedBatch, of request: LoadRequest,
        _ done: @escaping (Result<LoadedBatch, StoreFailure>) -> Void
    ) {
        guard !loaded.messages.isEmpty else { return done(.success(loaded)) }
        let probe = RecipientProbe(request.messages, known: loaded.messages)
        run(probe.statements) { result in
            done(result.map { probe.read($0, into: loaded) })
        }
    }

    /// Runs statements of the present life; an unknown outcome ends it. What is answered after its end is
    /// not to be relied on: what should have been written before may not have been.
    func run(
        _ batch: StatementBatch, _ done: @escaping (Result<[Rows], StoreFailure>) -> Void
    ) {
        guard let present = life else {
            return later { done(.failure(.unavailable("the shard is not open"))) }
        }
        pool.run(batch) { [self] answer in
            guard life == present else {
                return done(.failure(.unavailable("the shard was left while this ran")))
            }
            if case .failure(let error) = answer, !error.leftNothingBehind { life = nil }
            done(answer.mapError(StoreFailure.init))
        }
    }

    /// Nobody hears of a call before it has returned.
    private func later(_ work: @escaping () -> Void) {
        let work = LoopBound(work, on: loop)
        loop.post { work.value() }
    }
}

extension LoadRequest {
    /// Whether it reads the table of tasks, or somebody else does next.
    fileprivate var readsTasks: Bool {
        settles || !dutiesAreInMemory && !(users.isEmpty && userKeys.isEmpty)
    }
}

extension StatementBatch {
    /// What an opening asks for.
    fileprivate mutating func addLook(at shard: Int16) {
        add(.scanTables)
        add(.listUsersToReadBack) { $0.int2(shard) }
        add(.readDigestRevision) { $0.int2(shard) }
    }
}

extension ShardOpening {
    /// From the answers to `addLook`.
    fileprivate init(_ rows: ArraySlice<Rows>, wasDrained: Bool, defects: [String] = []) {
        let rows = Array(rows)
        self.init(
            usersToReadBack: rows[1].map { UserKey($0.int8()) }, wasDrained: wasDrained,
            digestRevision: rows[2].first { $0.int8() } ?? 0, defects: defects)
    }
}

extension Rows {
    /// The answer to `append_digests` of a shard's own devices.
    fileprivate var revisions: ClosedRange<Int64>? {
        first { (first: $0.int8(), last: $0.int8()) }.map { $0.first...$0.last }
    }
}
