package import Domain

/// The serial executor of one shard: an event loop in the server, a list and a manual clock in a simulation.
package protocol ShardScheduling: AnyObject, Sendable {
    /// Runs on the executor, in the order of posting. Any thread.
    func post(_ work: @escaping @Sendable () -> Void)
    /// One timer per shard: the newest call wins. On the executor.
    func wake(at instant: Instant, _ work: @escaping @Sendable () -> Void)
    /// Both clocks, now. Any thread.
    func now() -> Moment
    /// Traps unless it is called on the executor.
    func assertOnExecutor()
    /// Random bytes for ids and jitter.
    func random() -> UInt64
}
