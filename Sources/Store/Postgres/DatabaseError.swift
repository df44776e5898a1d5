/// Why a batch of statements gave no answer, and what is known of its effect.
package enum DatabaseError: Error, Sendable, Equatable {
    /// No connection could be had; nothing was sent, a repeat is safe.
    case unavailable(reason: String)
    /// The connection ended before the answer was complete: the
    /// effect is unknown until the state is read again.
    case connectionLost(reason: String)
    /// No answer within the time-out; the connection was closed. The effect is unknown, as above.
    case timedOut(milliseconds: Int)
    /// The server refused a statement; a transaction was rolled back as a whole.
    case refused(ServerRefusal)
    /// The queue for connections is full; nothing was sent.
    case overloaded(waiting: Int)

    /// True where the statements certainly had no effect.
    package var leftNothingBehind: Bool {
        switch self {
        case .unavailable, .refused, .overloaded: true
        case .connectionLost, .timedOut: false
        }
    }

    /// The unique or check constraint that a statement ran against, if that is what happened.
    package var violatedConstraint: String? {
        guard case .refused(let refusal) = self, refusal.state.isIntegrityViolation else { return nil }
        return refusal.constraint
    }
}

/// The server's own words about a refused statement.
///
/// The detail line is left out on purpose: it quotes the values of the row.
package struct ServerRefusal: Sendable, Equatable {
    package let state: SQLState
    package let message: String
    package let constraint: String?
    /// The query that was refused, by its file's name.
    package let statement: String
}

/// A five-character SQLSTATE code.
package struct SQLState: RawRepresentable, Sendable, Hashable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let uniqueViolation = SQLState(rawValue: "23505")
    package static let checkViolation = SQLState(rawValue: "23514")
    package static let foreignKeyViolation = SQLState(rawValue: "23503")
    package static let queryCanceled = SQLState(rawValue: "57014")
    package static let adminShutdown = SQLState(rawValue: "57P01")
    package static let crashShutdown = SQLState(rawValue: "57P02")
    package static let cannotConnectNow = SQLState(rawValue: "57P03")
    package static let idleInTransactionTimeout = SQLState(rawValue: "25P03")
    /// Raised by our own function `fence_shard`: another owner, or a later life of ours, has the shard.
    package static let fenced = SQLState(rawValue: "RF001")

    package var isIntegrityViolation: Bool { rawValue.hasPrefix("23") }
}

extension DatabaseError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unavailable(let reason): "not connected: \(reason)"
        case .connectionLost(let reason): "connection lost: \(reason)"
        case .timedOut(let milliseconds): "no answer within \(milliseconds) ms"
        case .refused(let refusal): "\(refusal.statement): \(refusal.state.rawValue) \(refusal.message)"
        case .overloaded(let waiting): "\(waiting) batches wait for a connection"
        }
    }
}
