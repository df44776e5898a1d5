import Engine

extension StoreFailure {
    /// The one table from what the database said to what the engine does about it.
    init(_ error: DatabaseError) {
        switch error {
        case .unavailable, .connectionLost, .timedOut, .overloaded:
            self = .unavailable(error.description)
        case .refused(let refusal):
            self = Self.meaning(of: refusal, error)
        }
    }

    private static func meaning(of refusal: ServerRefusal, _ error: DatabaseError) -> StoreFailure {
        if refusal.state == .fenced { return .fenced }
        if refusal.state == .uniqueViolation, refusal.constraint == "device_token_lookup" {
            return .tokenTaken
        }
        return refusal.state.isPassing ? .unavailable(error.description) : .failed(error.description)
    }
}

extension SQLState {
    /// The server's state, not the statement, is to blame, and passes: rolled back by it, out of resources,
    /// cancelled or shutting down.
    fileprivate var isPassing: Bool { ["40", "53", "55", "57"].contains { rawValue.hasPrefix($0) } }
}
