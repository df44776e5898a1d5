import Dispatch
package import EventLoop

/// A few sessions on one event loop; a batch takes the next that is free.
///
/// Sessions open on demand and are dropped when they end. While the database is away, requests
/// fail at once with the reason of the last attempt; a new attempt is made after `retryPause`.
///
/// `@unchecked Sendable`: all state belongs to the loop, and
/// every entry either asserts it or goes through it.
package final class PostgresPool: @unchecked Sendable {
    package typealias Answer = Result<[Rows], DatabaseError>
    package typealias Completion = (Answer) -> Void

    /// Between a failed attempt to connect and the next one.
    static let retryPause = DispatchTimeInterval.milliseconds(200)

    package let loop: EventLoop
    private let configuration: PostgresConfiguration
    private let connector: PostgresConnector
    private let size: Int
    private let maximumWaiting: Int

    private var idle: [PostgresConnection] = []
    private var busy: [PostgresConnection] = []
    private var opening = 0
    private var waiting: [(batch: StatementBatch, completion: Completion)] = []
    private var lastFailure: (error: DatabaseError, until: DispatchTime)?
    private var isClosed = false

    /// - Parameters:
    ///   - loop: where the sessions live and completions are called.
    ///   - size: sessions at most.
    ///   - maximumWaiting: batches that may wait for a session; more are refused as overloaded.
    package init(
        _ configuration: PostgresConfiguration, on loop: EventLoop, size: Int, maximumWaiting: Int = 1_000
    ) {
        self.configuration = configuration
        self.loop = loop
        self.size = size
        self.maximumWaiting = maximumWaiting
        connector = PostgresConnector(configuration)
    }

    /// A session is held by its sources until it is closed; one with a batch in flight keeps the pool.
    deinit {
        let sessions = idle
        loop.post { for session in sessions { session.close(reason: "the pool is gone") } }
    }

    /// Runs a batch; must be called on the loop, where `completion`
    /// is called exactly once, after this returned.
    package func run(_ batch: StatementBatch, _ completion: @escaping Completion) {
        loop.assertOnLoop()
        if isClosed { return fail(completion, .unavailable(reason: "the pool is closed")) }
        if let connection = idle.popLast() { return run(batch, on: connection, completion) }
        if let lastFailure, busy.isEmpty, opening == 0, DispatchTime.now() < lastFailure.until {
            return fail(completion, lastFailure.error)
        }
        guard waiting.count < maximumWaiting else {
            return fail(completion, .overloaded(waiting: waiting.count))
        }
        waiting.append((batch, completion))
        openIfNeeded()
    }

    /// Runs a batch from any task.
    package func execute(_ batch: StatementBatch) async throws(DatabaseError) -> [Rows] {
        let answer: Answer = await withCheckedContinuation { continuation in
            loop.post { self.run(batch) { continuation.resume(returning: $0) } }
        }
        return try answer.get()
    }

    /// Runs one statement from any task.
    package func execute(
        _ query: Query, _ encode: (inout ParameterWriter) -> Void = { _ in }
    ) async throws(DatabaseError) -> Rows {
        var batch = StatementBatch()
        batch.add(query, encode)
        let answers = try await execute(batch)
        guard let rows = answers.first else { throw .connectionLost(reason: "no answer to \(query.name)") }
        return rows
    }

    /// Ends every session; batches in flight fail as lost, those that wait as unavailable.
    package func close() {
        loop.post { [self] in
            isClosed = true
            disconnect()
            failWaiting(.unavailable(reason: "the pool is closed"))
        }
    }

    /// Ends every session, on the loop; the next batch opens a new one.
    package func disconnect() {
        loop.assertOnLoop()
        lastFailure = nil
        for connection in idle + busy { connection.close(reason: "closed on purpose") }
    }

    // MARK: Sessions

    private func run(
        _ batch: StatementBatch, on connection: PostgresConnection, _ completion: @escaping Completion
    ) {
        busy.append(connection)
        connection.run(batch) { [self] answer in
            busy.removeAll { $0 === connection }
            if connection.isIdle { becameIdle(connection) }
            completion(answer)
        }
    }

    private func becameIdle(_ connection: PostgresConnection) {
        guard !waiting.isEmpty else { return idle.append(connection) }
        let next = waiting.removeFirst()
        run(next.batch, on: connection, next.completion)
    }

    private func openIfNeeded() {
        guard opening < waiting.count, idle.count + busy.count + opening < size else { return }
        opening += 1
        connector.connect { [self] result in loop.post { [self] in opened(result) } }
    }

    private func opened(_ result: Result<LibPQConnection, DatabaseError>) {
        opening -= 1
        switch result {
        case .failure(let error):
            lastFailure = (error, .now() + Self.retryPause)
            if busy.isEmpty { failWaiting(error) }
        case .success(let libpq):
            guard !isClosed, let connection = adopt(libpq) else { return libpq.finish() }
            lastFailure = nil
            becameIdle(connection)
        }
    }

    private func adopt(_ libpq: LibPQConnection) -> PostgresConnection? {
        PostgresConnection(
            libpq, on: loop.queue, batchTimeoutMilliseconds: configuration.batchTimeoutMilliseconds
        ) { [weak self] ended in
            self?.idle.removeAll { $0 === ended }
            self?.busy.removeAll { $0 === ended }
            self?.openIfNeeded()
        }
    }

    /// A caller never hears of its call before the call has returned.
    private func fail(_ completion: @escaping Completion, _ error: DatabaseError) {
        let completion = LoopBound(completion, on: loop)
        loop.post { completion.value(.failure(error)) }
    }

    private func failWaiting(_ error: DatabaseError) {
        let failed = waiting
        waiting.removeAll()
        for request in failed { request.completion(.failure(error)) }
    }
}
