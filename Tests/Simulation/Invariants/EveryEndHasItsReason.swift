import Domain
import Engine

/// An outcome that is recorded is true: the evidence it names can be seen from outside.
final class EveryEndHasItsReason: Invariant {
    let sentence = "\"no push\" always has a reason, and a reason is true"
    unowned let world: World
    private var accepted: Set<Database.TaskID> = []
    private var refused: Set<Database.TaskID> = []
    private var askedAgain: [Database.TaskID: Int] = [:]
    private var latestWall = WallTime(milliseconds: 0)

    init(_ world: World) { self.world = world }

    func answered(_ push: Push, _ verdict: PushVerdict) {
        for task in push.tasks {
            switch verdict {
            case .accepted: accepted.insert(task)
            case .rejected, .tokenDead: refused.insert(task)
            case .retry: askedAgain[task, default: 0] += 1
            case .channelFault: break
            }
        }
    }

    func stepEnded() { latestWall = max(latestWall, world.clockwork.wall) }

    func committed(_ transaction: Transaction) {
        latestWall = max(latestWall, world.clockwork.wall)
        for row in transaction.changes.outcomes {
            let task = Database.TaskID(user: row.user, device: row.device, seq: row.seq)
            hold(
                isTrue(row, task, transaction),
                "\(world.client(row.device)?.name ?? "?") entry \(row.seq): "
                    + "\(row.outcome.word) \(row.reason.word) is not true")
        }
    }

    private func isTrue(_ row: OutcomeRow, _ task: Database.TaskID, _ transaction: Transaction) -> Bool {
        switch row.outcome {
        case .notified: accepted.contains(task)
        case .applied: world.client(row.device).map { $0.appliedSeq >= row.seq } ?? false
        case .suppressed, .dropped, .cancelled: isTrue(row.reason, task, transaction)
        }
    }

    private func isTrue(
        _ reason: OutcomeReason, _ task: Database.TaskID, _ transaction: Transaction
    ) -> Bool {
        guard let (message, mention) = world.database.message(of: task),
            let ledger = world.database.ledgers[task.user], let device = world.database.devices[task.device]
        else { return false }
        let conversation = message.conversation.id
        switch reason {
        case .none: return false
        case .ownMessage: return message.sender.user == world.database.users[task.user]?.name.user
        case .pushNotWanted: return !message.wantsPush
        case .muted: return mention == .none && transaction.wasMuted(conversation, of: task.user, ledger)
        case .read: return ledger.marker(of: conversation) >= task.seq
        case .recalled: return ledger.isRecalled(task.seq)
        case .expired: return expiry(of: task, message).map { $0 <= latestWall } ?? false
        case .notWakeable, .tokenDead, .deviceRemoved:
            return !device.isWakeable || !transaction.isUntouched(task.device)
        case .rejected: return refused.contains(task)
        case .attemptsExhausted: return isExhausted(task)
        case .quietHours, .rateLimited: return true  // These two have an invariant of their own.
        default: return false  // The rest are the ends of calls.
        }
    }

    private func expiry(of task: Database.TaskID, _ message: Message) -> WallTime? {
        let longest = world.database.entry(of: task)?.materialisedAt
        return message.expiresAt ?? longest.map { $0 + world.tenant.policy.pushTTLSeconds * 1_000 }
    }

    /// Where a crash may lose an answer, or join what was tried with what was not, less than all is seen.
    private func isExhausted(_ task: Database.TaskID) -> Bool {
        let isWhole = world.crashedAt.isEmpty && world.setting.faults.databaseFails == 0
        let count = askedAgain[task] ?? 0
        return isWhole ? count == world.tenant.policy.pushRetryMaxAttempts : count > 0
    }
}
