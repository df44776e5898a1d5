import Dispatch

/// What the server will answer next.
enum Expectation {
    case preparation(Query)
    case control(Query)
    case answer(Query)

    var query: Query {
        switch self {
        case .preparation(let query), .control(let query), .answer(let query): query
        }
    }
}

/// A batch in flight: what is still to be answered, and what came so far.
struct RunningBatch {
    let due: DispatchTime
    let completion: (PostgresConnection.Answer) -> Void
    var rows: [Rows] = []
    /// The first refusal; what follows it is only skipped.
    private(set) var refusal: ServerRefusal?
    private var expected: [Expectation]
    private var position = 0

    init(
        _ expected: [Expectation], due: DispatchTime,
        _ completion: @escaping (PostgresConnection.Answer) -> Void
    ) {
        self.expected = expected
        self.due = due
        self.completion = completion
    }

    mutating func next() -> Expectation? {
        guard position < expected.count else { return nil }
        defer { position += 1 }
        return expected[position]
    }

    mutating func expect(_ expectation: Expectation) { expected.append(expectation) }

    mutating func refused(_ refusal: ServerRefusal) { self.refusal = self.refusal ?? refusal }

    /// What the server said before it ended the session. It may have said so after the commit: the effect is
    /// unknown, so this is no refusal.
    var lastWords: DatabaseError? {
        refusal.map { .connectionLost(reason: "\($0.state.rawValue) \($0.message)") }
    }

    var answer: PostgresConnection.Answer {
        if let refusal { .failure(.refused(refusal)) } else { .success(rows) }
    }
}

extension Query {
    static let begin = Query(name: "begin", sql: "begin")
    static let commit = Query(name: "commit", sql: "commit")
    static let rollback = Query(name: "rollback", sql: "rollback")
}
