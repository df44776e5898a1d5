import Domain
import Engine

/// A shard's connection to the world's database: slow, and at times away, before or after it has committed.
final class SimulatedStore: ShardStore {
    private unowned let world: World
    private let shard: Int
    private let epoch: Int

    init(_ world: World, shard: Int) {
        self.world = world
        self.shard = shard
        epoch = world.clockwork.epoch
    }

    func open(_ done: @escaping (Result<ShardOpening, StoreFailure>) -> Void) {
        answer { [self] in
            guard !world.isDatabaseAway else { return done(.failure(.unavailable("away"))) }
            let database = world.database
            let owed = database.records.values.filter(\.isOwed).map(\.user)
            let users = Set(database.tasks.keys.map(\.user) + owed + database.calls.usersRinging).filter {
                world.shard(of: $0) == shard
            }
            let wasDrained = database.take(shard)
            done(
                .success(
                    ShardOpening(
                        usersToReadBack: users.sorted(), wasDrained: wasDrained,
                        digestRevision: database.digests.head(of: shard))))
        }
    }

    func load(_ request: LoadRequest, _ done: @escaping (Result<LoadedBatch, StoreFailure>) -> Void) {
        answer { [self] in
            if world.databaseFails() { return done(.failure(.unavailable("load"))) }
            var loaded = world.database.load(request, shard: shard)
            loaded.wakes.removeAll { shard != world.shard(of: $0) }
            done(.success(loaded))
        }
    }

    func commit(_ changes: ChangeSet, _ done: @escaping (Result<Committed, StoreFailure>) -> Void) {
        answer { [self] in
            if world.databaseFails() { return done(.failure(.unavailable("before the commit"))) }
            let transaction = Transaction(changes, before: world.database)
            let committed = world.database.commit(changes, of: shard)
            for invariant in world.invariants { invariant.committed(transaction) }
            world.provider.committed(transaction)
            if world.databaseFails() { return done(.failure(.unavailable("after the commit"))) }
            // The process may die between the commit and its word of it.
            answer { done(.success(committed)) }
        }
    }

    func close() {}

    private func answer(_ run: @escaping () -> Void) {
        world.clockwork.schedule(after: world.clockwork.generator.upTo(3), epoch: epoch, run)
    }
}
