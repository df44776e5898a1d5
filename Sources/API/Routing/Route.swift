package import Engine
package import Wire

/// One line of a listener's table: what is called, by whom, and what it takes and gives.
package struct Route: Sendable {
    /// Who may call, and what runs then. A thrown problem is the answer.
    package enum Handler: Sendable {
        case anyone(@Sendable (Call, Answer) throws(Problem) -> Void)
        case backend(@Sendable (Call, Tenant, Answer) throws(Problem) -> Void)
        case device(@Sendable (Call, DeviceIdentity, Answer) throws(Problem) -> Void)
        case administrator(@Sendable (Call, Answer) throws(Problem) -> Void)
    }

    /// What the request's body is.
    package enum Body: Equatable, Sendable {
        case none
        /// `application/json` of this schema.
        case json(String)
        /// One message, or lines of them as `application/x-ndjson`.
        case messages
    }

    /// An answer as documented: its status, and the schema of its body.
    package struct Outcome: Equatable, Sendable {
        package let status: Int
        package let schema: String?

        package init(_ status: Int, _ schema: String? = nil) {
            self.status = status
            self.schema = schema
        }
    }

    enum Segment: Equatable, Sendable {
        case word(String)
        case parameter(String)
    }

    package let method: HTTPMethod
    /// `/v1/users/{user}/badge`
    package let pattern: String
    package let summary: String
    /// Query parameters; any other is refused.
    package let query: [String]
    package let body: Body
    package let outcomes: [Outcome]
    package let handler: Handler
    let segments: [Segment]

    init(
        _ method: HTTPMethod, _ pattern: String, _ summary: String, query: [String] = [], body: Body = .none,
        _ outcomes: [Outcome], _ handler: Handler
    ) {
        self.method = method
        self.pattern = pattern
        self.summary = summary
        self.query = query
        self.body = body
        self.outcomes = outcomes
        self.handler = handler
        segments = pattern.split(separator: "/").map { part in
            part.hasPrefix("{") ? .parameter(String(part.dropFirst().dropLast())) : .word(String(part))
        }
    }

    /// The names at `{…}`, in order.
    package var parameterNames: [String] {
        segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// The path's parameters if it is this route's.
    func match(_ path: [String]) -> [String]? {
        guard path.count == segments.count else { return nil }
        var parameters: [String] = []
        for (part, segment) in zip(path, segments) {
            switch segment {
            case .word(let word): guard part.utf8.elementsEqual(word.utf8) else { return nil }
            case .parameter:
                guard !part.isEmpty else { return nil }
                parameters.append(part)
            }
        }
        return parameters
    }
}
