import Domain
import Engine

/// With the read, or the recall, in one transaction; what is with the provider is settled with its outcome.
final class ReadsRevoke: Invariant {
    let sentence = "tasks for what was read or recalled, not yet handed over, are cancelled"
    unowned let world: World
    private var withProvider: [Database.TaskID: Int] = [:]

    init(_ world: World) { self.world = world }

    func left(_ push: Push) { for task in push.tasks { withProvider[task] = .max } }

    /// The report takes a batch to be recorded.
    func answered(_ push: Push, _ verdict: PushVerdict) {
        for task in push.tasks { withProvider[task] = Int(world.clockwork.now) + 100 }
    }

    func committed(_ transaction: Transaction) {
        for row in transaction.changes.entries {
            switch row.entry.change {
            case .read(let conversation, let through, _):
                judge(row.user, conversation) { $0 <= through }
            case .recall(let conversation, _, let seq): judge(row.user, conversation) { $0 == seq }
            case .message, .settings: break
            }
        }
    }

    private func judge(_ user: UserKey, _ conversation: ConversationID, _ isOver: (MailboxSeq) -> Bool) {
        for task in world.database.tasks.keys where task.user == user && isOver(task.seq) {
            guard world.database.message(of: task)?.message.conversation.id == conversation else { continue }
            hold(
                withProvider[task, default: 0] > Int(world.clockwork.now),
                "a task for entry \(task.seq) is left, and it is over")
        }
    }
}
