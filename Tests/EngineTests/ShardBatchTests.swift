import Domain
import Testing

@testable import Engine

@Suite struct ShardBatchTests {
    /// A request of a thousand messages to one user passes several checkpoints, and Postgres refuses a
    /// statement that names a row twice: for ever, since the batch is the same at each try.
    @Test func `of several checkpoints of a user in one batch the newest is written`() {
        var batch = ShardBatch()
        for seq: MailboxSeq in [256, 512, 768] {
            batch.put(CheckpointRow(user: UserKey(1), throughSeq: seq, projection: []))
        }
        batch.put(CheckpointRow(user: UserKey(2), throughSeq: 256, projection: []))
        #expect(!batch.isEmpty)
        batch.seal(at: Moment(instant: Instant(milliseconds: 0), wall: WallTime(milliseconds: 0)))
        #expect(
            batch.changes.checkpoints.sorted { $0.user < $1.user }.map(\.throughSeq) == [768, 256])
    }
}
