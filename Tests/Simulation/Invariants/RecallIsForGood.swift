import Domain
import Engine

final class RecallIsForGood: Invariant {
    let sentence =
        "a recalled message leaves every mailbox's count, and its id stays recalled for later ingests"
    unowned let world: World
    /// From the load of a batch to its commit.
    private static let underWay: Int64 = 20

    init(_ world: World) { self.world = world }

    func committed(_ transaction: Transaction) {
        for row in transaction.changes.entries {
            guard case .message(let message, _, _) = row.entry.change,
                let recalled = world.database.tombstones[
                    MessageName(tenant: World.tenant, message: message.id)]
            else { continue }
            hold(
                world.clockwork.now < recalled + Self.underWay,
                "\(message.id) is materialised \(world.clockwork.now - recalled) ms after its recall")
        }
    }

    /// The backend was told that it is done: it is, in every mailbox.
    func recallAnswered(_ message: MessageName) {
        for ledger in world.database.ledgers.values {
            guard let seq = ledger.seq(of: message.message) else { continue }
            hold(ledger.isRecalled(seq), "\(message.message) was recalled, and entry \(seq) was not")
        }
    }

    func settled() {
        for message in world.database.tombstones.keys { recallAnswered(message) }
    }
}
