import Domain
import Engine

/// A shard's connection to the world's database: slow, and at times away, before or after it has committed.
final class SimulatedStore: ShardStore {
    private let world: World
    private let shard: Int
    private let epoch: Int

    init(_ world: World, shard: Int) {
        self.world = world
        self.shard = shard
        epoch = world.clockwork.epoch
    }

    func open(_ done: @escaping (Result<ShardOpening, StoreFailure>) -> Void) {
        answer {
            guard !self.world.isDatabaseAway else { return done(.failure(.unavailable("away"))) }
            let database = self.world.database
            let owed = database.records.values.filter(\.isOwed).map(\.user)
            let users = Set(database.tasks.keys.map(\.user) + owed + database.calls.usersRinging).filter {
                self.world.shard(of: $0) == self.shard
            }
            let wasDrained = database.take(self.shard)
            done(
                .success(
                    ShardOpening(
                        usersToReadBack: users.sorted(), wasDrained: wasDrained,
                        digestRevision: database.digests.heads[self.shard] ?? 0)))
        }
    }

    func load(_ request: LoadRequest, _ done: @escaping (Result<LoadedBatch, StoreFailure>) -> Void) {
        answer {
            if self.world.fails() { return done(.failure(.unavailable("load"))) }
            var loaded = self.world.database.load(request, shard: self.shard)
            loaded.wakes.removeAll { self.shard != self.world.shard(of: $0) }
            done(.success(loaded))
        }
    }

    func commit(_ changes: ChangeSet, _ done: @escaping (Result<Committed, StoreFailure>) -> Void) {
        answer {
            if self.world.fails() { return done(.failure(.unavailable("before the commit"))) }
            let before = Set(self.world.database.devices.keys)
            let committed = self.world.database.commit(changes, of: self.shard)
            self.world.committed(changes, before: before)
            if self.world.fails() { return done(.failure(.unavailable("after the commit"))) }
            // The process may die between the commit and its word of it.
            self.answer { done(.success(committed)) }
        }
    }

    func close() {}

    private func answer(_ run: @escaping () -> Void) {
        let delay = Int64.random(in: 0...3, using: &world.clockwork.generator)
        world.clockwork.schedule(after: delay, epoch: epoch, run)
    }
}
