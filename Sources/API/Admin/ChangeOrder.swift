import Synchronization

/// Operators' changes, one after the other: each begins from what the one before has left, and what is in
/// force in memory is what the store was told last.
final class ChangeOrder: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Runs when all that came before has ended, well or not.
    func run(_ change: () async throws(Problem) -> Void) async throws(Problem) {
        await take()
        defer { pass() }
        try await change()
    }

    private func take() async {
        await withCheckedContinuation { turn in
            let isFree = state.withLock { state in
                if state.isTaken {
                    state.waiting.append(turn)
                    return false
                }
                state.isTaken = true
                return true
            }
            if isFree { turn.resume() }
        }
    }

    private func pass() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
