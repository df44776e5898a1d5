import Engine
import EventLoop

/// A shard's connection to the database in memory; answers in a later turn of its loop.
final class MemoryShardStore: ShardStore {
    private let database: MemoryDatabase
    private let shard: Int
    private let shards: Int
    private let loop: EventLoop

    init(_ database: MemoryDatabase, shard: Int, of shards: Int, on loop: EventLoop) {
        self.shard = shard
        self.shards = shards
        self.database = database
        self.loop = loop
    }

    func open(_ done: @escaping (Result<ShardOpening, StoreFailure>) -> Void) {
        answer(done) { ShardOpening(usersToReadBack: [], wasDrained: false) }
    }

    func load(_ request: LoadRequest, _ done: @escaping (Result<LoadedBatch, StoreFailure>) -> Void) {
        let (database, shard, shards) = (database, shard, shards)
        answer(done) {
            var loaded = database.load(request)
            loaded.recallTargets = loaded.recallTargets.mapValues { targets in
                targets.filter { ShardMap.shard(of: $0.user, count: shards) == shard }
            }
            loaded.wakes.removeAll { database.shard(of: $0, count: shards) != shard }
            return loaded
        }
    }

    func commit(_ changes: ChangeSet, _ done: @escaping (Result<Committed, StoreFailure>) -> Void) {
        let database = database
        answer(done) {
            database.commit(changes)
            return Committed()
        }
    }

    func close() {}

    private func answer<Value: Sendable>(
        _ done: @escaping (Result<Value, StoreFailure>) -> Void, _ run: @escaping @Sendable () -> Value
    ) {
        let done = LoopBound(done, on: loop)
        let database = database
        loop.post {
            done.value(database.isAway ? .failure(.unavailable("away")) : .success(run()))
        }
    }
}
