import Dispatch

/// One session in pipeline mode, bound to one serial queue: a batch goes out in one flush and one batch is in
/// flight at a time.
///
/// `@unchecked Sendable`: completions of other queues carry it here, and every entry asserts the queue.
final class PostgresConnection: @unchecked Sendable {
    typealias Answer = Result<[Rows], DatabaseError>

    private let libpq: LibPQConnection
    private let queue: DispatchQueue
    private let batchTimeoutMilliseconds: Int
    private let didClose: (PostgresConnection) -> Void

    private var prepared: Set<Query> = []
    private var running: RunningBatch?
    private var watchdogIsArmed = false
    private(set) var isClosed = false

    private let readSource: any DispatchSourceRead
    private let writeSource: any DispatchSourceWrite
    private let watchdog: any DispatchSourceTimer
    private var writeSourceIsSuspended = true
    private var openSources = 2

    /// Takes over a session that is ready. `didClose` is called once, on the queue, whoever ended it.
    init?(
        _ libpq: LibPQConnection, on queue: DispatchQueue, batchTimeoutMilliseconds: Int,
        didClose: @escaping (PostgresConnection) -> Void
    ) {
        guard libpq.enterPipelineMode(), libpq.socket >= 0 else { return nil }
        self.libpq = libpq
        self.queue = queue
        self.batchTimeoutMilliseconds = batchTimeoutMilliseconds
        self.didClose = didClose
        readSource = DispatchSource.makeReadSource(fileDescriptor: libpq.socket, queue: queue)
        writeSource = DispatchSource.makeWriteSource(fileDescriptor: libpq.socket, queue: queue)
        watchdog = DispatchSource.makeTimerSource(queue: queue)
        installHandlers()
    }

    var isIdle: Bool { running == nil && !isClosed }
    var backendPID: Int32 { libpq.backendPID }

    /// Sends a batch; `completion` is called on the queue, exactly once, after the transaction is over.
    func run(_ batch: borrowing StatementBatch, _ completion: @escaping (Answer) -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        precondition(isIdle, "one batch at a time")
        let expected = send(batch)
        running = RunningBatch(
            expected ?? [], due: .now() + .milliseconds(batchTimeoutMilliseconds), completion)
        armWatchdog(after: batchTimeoutMilliseconds)
        if expected == nil || !flush() {
            let reason = libpq.errorMessage
            queue.async { self.close(reason: reason) }
        }
    }

    /// Ends the session at once; a batch in flight fails as lost.
    func close(reason: String) {
        close(with: .connectionLost(reason: reason))
    }

    // MARK: Sending

    /// Queues the statements, those new to this session behind their preparation; nil if libpq refused.
    private func send(_ batch: borrowing StatementBatch) -> [Expectation]? {
        let transaction = batch.scope == .transaction
        var expected: [Expectation] = []
        var announced: Set<Query> = []
        for query in (transaction ? [.begin, .commit, .rollback] : []) + batch.steps.map(\.query)
        where !prepared.contains(query) && announced.insert(query).inserted {
            guard libpq.sendPrepare(query) else { return nil }
            expected.append(.preparation(query))
        }
        let none = ParameterWriter()
        if transaction {
            guard libpq.send(Query.begin.name, none, 0..<0) else { return nil }
            expected.append(.control(.begin))
        }
        for step in batch.steps {
            guard libpq.send(step.query.name, batch.parameters, step.parameters) else { return nil }
            expected.append(.answer(step.query))
        }
        if transaction {
            guard libpq.send(Query.commit.name, none, 0..<0) else { return nil }
            expected.append(.control(.commit))
        }
        return libpq.sendSync() ? expected : nil
    }

    /// False if the connection is broken.
    private func flush() -> Bool {
        let progress = libpq.flush()
        setWriteSource(suspended: progress != .blocked)
        return progress != .failed
    }

    private func flushOrClose() {
        if !flush() { close(reason: libpq.errorMessage) }
    }

    // MARK: Receiving

    /// Takes all input there is: a source that saw a hang-up does not fire a second time.
    private func readable() {
        repeat {
            guard libpq.consumeInput() else { return close(reason: libpq.errorMessage) }
            takeResults()
        } while !isClosed && libpq.hasUnreadInput
        if !isClosed { flushOrClose() }
    }

    private func takeResults() {
        var previousWasEnd = false
        while !isClosed, running != nil, !libpq.isBusy {
            guard let result = libpq.nextResult() else {
                if previousWasEnd { break }
                previousWasEnd = true
                continue
            }
            previousWasEnd = false
            if result.outcome == .syncPoint { reachedSyncPoint() } else { take(result) }
        }
        if libpq.isDown { close(reason: libpq.errorMessage) }
    }

    private func take(_ result: LibPQResult) {
        guard let expectation = running?.next() else {
            return close(reason: "an answer that was not asked for")
        }
        switch (result.outcome, expectation) {
        case (.refused, _): running?.refused(result.refusal(of: expectation.query.name))
        case (.finished, .preparation(let query)): prepared.insert(query)
        case (.finished, .answer): running?.rows.append(Rows(result))
        default: break
        }
    }

    /// The batch is over; if its transaction was refused, the session is brought back to rest first.
    private func reachedSyncPoint() {
        if libpq.isInFailedTransaction {
            guard libpq.send(Query.rollback.name, ParameterWriter(), 0..<0), libpq.sendSync() else {
                return close(reason: libpq.errorMessage)
            }
            running?.expect(.control(.rollback))
            return flushOrClose()
        }
        guard let finished = running else { return }
        running = nil
        finished.completion(finished.answer)
    }

    // MARK: Time and end

    /// Armed for the batch that runs now; a later batch is found not yet due and the timer is set on.
    private func armWatchdog(after milliseconds: Int) {
        guard !watchdogIsArmed else { return }
        watchdogIsArmed = true
        watchdog.schedule(deadline: .now() + .milliseconds(milliseconds), leeway: .milliseconds(50))
    }

    private func watchdogFired() {
        watchdogIsArmed = false
        guard let running else { return }
        let left = running.due.millisecondsFromNow
        if left <= 0 {
            close(with: .timedOut(milliseconds: batchTimeoutMilliseconds))
        } else {
            armWatchdog(after: left)
        }
    }

    /// The descriptor is closed after both sources have let go of it; the server learns of the end at once.
    private func close(with error: DatabaseError) {
        dispatchPrecondition(condition: .onQueue(queue))
        guard !isClosed else { return }
        isClosed = true
        libpq.shutDown()
        readSource.cancel()
        writeSource.cancel()
        setWriteSource(suspended: false)
        watchdog.cancel()
        let lost = running
        running = nil
        lost?.completion(.failure(lost?.lastWords ?? error))
        didClose(self)
    }

    private func installHandlers() {
        readSource.setEventHandler { [self] in if !isClosed { readable() } }
        writeSource.setEventHandler { [self] in if !isClosed { flushOrClose() } }
        watchdog.setEventHandler { [weak self] in self?.watchdogFired() }
        readSource.setCancelHandler { [self] in sourceEnded() }
        writeSource.setCancelHandler { [self] in sourceEnded() }
        readSource.activate()
        watchdog.activate()
    }

    private func sourceEnded() {
        openSources -= 1
        if openSources == 0 { libpq.finish() }
    }

    private func setWriteSource(suspended: Bool) {
        guard suspended != writeSourceIsSuspended else { return }
        writeSourceIsSuspended = suspended
        if suspended { writeSource.suspend() } else { writeSource.resume() }
    }
}
