import Synchronization

/// The life of a process as owner or standby: takes the lease, opens the shards, and closes them when it is
/// lost; then again from the start.
package final class Ownership: Sendable {
    package enum State: String, Sendable { case standby, owner, stopping }

    private let current = Mutex(State.standby)
    private let fenced = Mutex<AsyncStream<Void>.Continuation?>(nil)

    package init() {}

    package var state: State { current.withLock { $0 } }

    /// A shard met another owner's epoch, or its clock guard ran out. Any thread.
    package func wasFenced() { _ = fenced.withLock { $0?.yield() } }

    /// Runs until cancelled; then the shards are stopped and the lease is given back.
    ///
    /// `prepare` runs with the lease and before the shards: what another owner may have changed is read anew.
    /// `changed` is told each change of state, for the log and the readiness answer.
    package func run(
        _ engine: Engine, _ keeper: LeaseKeeper,
        prepare: @escaping @Sendable (_ epoch: Int64) async -> Void,
        store: @escaping @Sendable (_ shard: Int, _ epoch: Int64) -> any ShardStore,
        changed: @escaping @Sendable (State, _ epoch: Int64) -> Void
    ) async {
        while !Task.isCancelled {
            guard let epoch = try? await keeper.acquire() else { break }
            await prepare(epoch)
            // A stream ends with the task that reads it: one for each time as owner.
            let (loss, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            fenced.withLock { $0 = signal }
            engine.start(epoch: epoch) { store($0, epoch) }
            set(.owner, epoch, changed)
            await keep(keeper, until: loss, engine)
            set(Task.isCancelled ? .stopping : .standby, epoch, changed)
            await engine.stopped()
        }
        await keeper.release()
    }

    private func set(_ state: State, _ epoch: Int64, _ changed: @Sendable (State, Int64) -> Void) {
        current.withLock { $0 = state }
        changed(state, epoch)
    }

    /// Returns when the lease is lost, a shard was fenced, or the task is cancelled.
    private func keep(
        _ keeper: LeaseKeeper, until loss: AsyncStream<Void>, _ engine: Engine
    ) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await keeper.keep() }
            group.addTask { await keeper.watch { engine.stop {} } }
            group.addTask {
                for await _ in loss { return }
            }
            await group.next()
            group.cancelAll()
        }
    }
}

extension Engine {
    /// Stops every shard, and returns when all have.
    package func stopped() async {
        await withCheckedContinuation { continuation in stop { continuation.resume() } }
    }
}
