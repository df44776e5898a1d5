/// What happens to the owner in a round.
enum FailoverBlow: String, CaseIterable, Sendable {
    /// `kill -9`.
    case kill
    /// SIGSTOP past its lease, then SIGCONT.
    case freeze
    /// SIGSTOP for about as long as the lease lasts, then SIGCONT: either may own the data afterwards.
    case nap
    /// SIGTERM.
    case drain

    /// The rounds of a run: the rarer blows spread evenly among the others.
    static func plan(kills: Int, freezes: Int, naps: Int, drains: Int) -> [FailoverBlow] {
        let spread = [(kill, kills), (freeze, freezes), (nap, naps), (drain, drains)].flatMap { blow, count in
            (0..<count).map { (blow, (Double($0) + 0.5) / Double(count)) }
        }
        return spread.sorted { ($0.1, $0.0.rawValue) < ($1.1, $1.0.rawValue) }.map(\.0)
    }
}
