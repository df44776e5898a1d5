import Domain

/// A batch costs a load and a commit, whatever it brings: where many call at once, those that the last batch has
/// answered call again in a moment, and the next batch is worth more with them than without.
///
/// It waits for as many as were under way when the last one ended, and not for long; few are not waited for.
struct Gathering {
    /// Fewer than this make a batch at once: a caller alone never waits.
    static let fewest = 8
    /// So many are enough for any batch.
    static let most = 32
    static let milliseconds: Int64 = 2

    let calls: Int
    let until: Instant

    /// Nil: the next batch waits for nobody.
    ///
    /// - Parameter waiting: what callers wait for already.
    init?(after events: [ShardEvent], and waiting: Int, at now: Instant) {
        let underWay = events.reduce(waiting) { $0 + $1.calls }
        guard underWay >= Self.fewest else { return nil }
        calls = min(underWay, Self.most)
        until = now + Self.milliseconds
    }

    func goesOn(at now: Instant) -> Bool { now < until }
}
