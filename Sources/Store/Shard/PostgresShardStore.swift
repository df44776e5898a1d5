import Domain
package import Engine
package import EventLoop

/// One shard's part of the database, over one session of its own on the shard's loop.
///
/// Every transaction names the life that `open` began. After a failure whose effect is unknown nothing is
/// done until the next `open`, which ends the former session and shuts out what may still run in it.
package final class PostgresShardStore: ShardStore {
    /// Statements here find rows by key. A plan made while a
    /// table was small must not scan it once it is large.
    static let sessionSettings = [
        "plan_cache_mode": "force_generic_plan", "enable_seqscan": "off", "enable_hashjoin": "off",
        "enable_mergejoin": "off",
    ]

    private let shard: Int16
    private let epoch: Int64
    private let sessionName: String
    private let loop: EventLoop
    private let pool: PostgresPool
    private var life: Int64?
    private var transaction = StatementBatch(.transaction)

    /// - Parameters:
    ///   - shard: below the number the database was made with.
    ///   - epoch: of the lease that this process holds.
    package init(shard: Int, epoch: Int64, _ configuration: PostgresConfiguration, on loop: EventLoop) {
        var configuration = configuration
        configuration.applicationName += " shard \(shard)"
        configuration.settings.merge(Self.sessionSettings) { _, ours in ours }
        self.shard = Int16(shard)
        self.epoch = epoch
        self.loop = loop
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
        let load = ShardLoad(request, shard: shard)
        guard let users = load.users else { return run(load, of: nil, request, done) }
        run(users) { [self] result in
            switch result {
            case .failure(let failure): done(.failure(failure))
            case .success(let rows): run(load, of: load.found(rows[0]), request, done)
            }
        }
    }

    package func commit(
        _ changes: ChangeSet, _ done: @escaping (Result<Committed, StoreFailure>) -> Void
    ) {
        transaction.removeAll()
        transaction.add(.fenceShard) { [shard, epoch, life] in
            $0.int2(shard)
            $0.int8(epoch)
            $0.int8(life)
        }
        let digests = transaction.append(changes, shard: shard)
        run(transaction) { result in
            done(result.map { rows in Committed(digestRevisions: digests.flatMap { rows[$0].revisions }) })
        }
    }

    package func close() {
        life = nil
        pool.close()
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

    private func takeShard(_ done: @escaping (Result<ShardOpening, StoreFailure>) -> Void) {
        var batch = StatementBatch(.transaction)
        batch.add(.takeShard) { [shard, epoch] in
            $0.int2(shard)
            $0.int8(epoch)
        }
        batch.add(.scanTables)
        batch.add(.listUsersToReadBack) { [shard] in $0.int2(shard) }
        batch.add(.readDigestRevision) { [shard] in $0.int2(shard) }
        pool.run(batch) { [self] answer in
            switch answer {
            case .failure(let error): done(.failure(StoreFailure(error)))
            case .success(let rows):
                guard let taken = rows[0].first({ (life: $0.int8(), wasDrained: $0.bool()) }) else {
                    return done(.failure(.fenced))
                }
                life = taken.life
                let users = rows[2].map { UserKey($0.int8()) }
                done(
                    .success(
                        ShardOpening(
                            usersToReadBack: users, wasDrained: taken.wasDrained,
                            digestRevision: rows[3].first { $0.int8() } ?? 0)))
            }
        }
    }

    // MARK: Loading

    /// The second step. Of new users alone nothing is left to be asked.
    private func run(
        _ load: ShardLoad, of users: UserRows?, _ request: LoadRequest,
        _ done: @escaping (Result<LoadedBatch, StoreFailure>) -> Void
    ) {
        let statements = load.statements(of: users)
        guard !statements.isEmpty else { return done(load.read([], of: users)) }
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

    /// Runs statements of the present life; an unknown outcome ends it.
    private func run(
        _ batch: StatementBatch, _ done: @escaping (Result<[Rows], StoreFailure>) -> Void
    ) {
        guard life != nil else {
            let done = LoopBound(done, on: loop)
            return loop.post { done.value(.failure(.unavailable("the shard is not open"))) }
        }
        pool.run(batch) { [self] answer in
            if case .failure(let error) = answer, !error.leftNothingBehind { life = nil }
            done(answer.mapError(StoreFailure.init))
        }
    }
}

extension Rows {
    /// The answer to `append_digests` of a shard's own devices.
    fileprivate var revisions: ClosedRange<Int64>? {
        first { (first: $0.int8(), last: $0.int8()) }.map { $0.first...$0.last }
    }
}
