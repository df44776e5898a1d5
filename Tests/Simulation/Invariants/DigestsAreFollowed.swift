import Domain

@testable import Engine

/// What the shards decide by is what the log says, whoever wrote it. The one rule about the server's own
/// memory: from outside a stale digest shows only as a push that never comes.
final class DigestsAreFollowed: Invariant {
    let sentence = "digests go to a compacted log that the deciding side follows"
    unowned let world: World

    init(_ world: World) { self.world = world }

    func settled() {
        for shard in world.engine.shards {
            hold(
                shard.digestPlace.value == world.database.digests.head(of: shard.number),
                "shard \(shard.number) has not followed")
            for device in shard.users.values.flatMap(\.user.devices) {
                hold(
                    Set(device.tokens) == world.database.digests.tokens(of: device.key),
                    "\(device.id) is decided for by an old digest")
            }
        }
    }
}
