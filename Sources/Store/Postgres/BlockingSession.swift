/// A session for the start of the program, where a thread may wait: scripts, and single statements.
struct BlockingSession: ~Copyable {
    private let libpq: LibPQConnection
    private let timeoutMilliseconds: Int

    /// - Parameter timeoutMilliseconds: for each call; 0 or less never waits.
    init(_ configuration: PostgresConfiguration, timeoutMilliseconds: Int) throws(DatabaseError) {
        libpq = try PostgresConnector.open(configuration)
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    deinit { libpq.finish() }

    /// Runs statements in text; after the first refusal the rest is not run.
    func run(script: String) throws(DatabaseError) {
        guard libpq.send(script: script) else { throw lost }
        _ = try takeAnswer(to: "script")
    }

    /// Runs one statement.
    func rows(_ statement: String) throws(DatabaseError) -> Rows {
        guard libpq.send(statement: statement) else { throw lost }
        guard let rows = try takeAnswer(to: "statement") else { throw lost }
        return rows
    }

    private var lost: DatabaseError { .connectionLost(reason: libpq.errorMessage) }

    private func takeAnswer(to what: String) throws(DatabaseError) -> Rows? {
        var last: Rows?
        var refusal: ServerRefusal?
        while let result = try nextResult() {
            if result.outcome == .refused {
                refusal = refusal ?? result.refusal(of: what)
            } else {
                last = Rows(result)
            }
        }
        if libpq.isDown { throw lost }
        if let refusal { throw .refused(refusal) }
        return last
    }

    private func nextResult() throws(DatabaseError) -> LibPQResult? {
        let deadline = MonotonicMilliseconds.now + timeoutMilliseconds
        while libpq.flush() == .blocked || libpq.isBusy {
            let left = deadline - MonotonicMilliseconds.now
            guard left > 0, libpq.wait(toWrite: false, milliseconds: left) else {
                throw .timedOut(milliseconds: timeoutMilliseconds)
            }
            guard libpq.consumeInput() else { throw lost }
        }
        return libpq.nextResult()
    }
}
