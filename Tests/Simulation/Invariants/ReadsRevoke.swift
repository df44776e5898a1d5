import Domain
import Engine

/// With the read, or the recall, in one transaction; what is with the provider is settled with its outcome.
final class ReadsRevoke: Invariant {
    let sentence = "tasks for what was read or recalled, not yet handed over, are cancelled"
    unowned let world: World
    /// The newest request for each task, and until when it may be open with its provider.
    private var newest: [Database.TaskID: (push: Push, until: Int64)] = [:]

    init(_ world: World) { self.world = world }

    func left(_ push: Push) { for task in push.tasks { newest[task] = (push, .max) } }

    /// The report takes a batch to be recorded. The answer to what a dead process sent ends no later request.
    func answered(_ push: Push, _ verdict: PushVerdict) {
        for task in push.tasks where newest[task]?.push === push {
            newest[task] = (push, world.clockwork.now + 100)
        }
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
                newest[task].map { $0.until > world.clockwork.now } == true,
                "a task for entry \(task.seq) is left, and it is over")
        }
    }
}
