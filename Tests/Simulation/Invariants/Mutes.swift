import Domain
import Engine

final class MutesSilence: Invariant {
    let sentence =
        "a muted conversation counts unread as ever, makes no task for plain messages, one for a mention"
    unowned let world: World

    init(_ world: World) { self.world = world }

    func committed(_ transaction: Transaction) {
        for row in transaction.changes.tasksMade where row.mention == .none {
            let id = Database.TaskID(user: row.user, device: row.device, seq: row.seq)
            guard let message = world.database.message(of: id)?.message else {
                return hold(false, "a task without a message")
            }
            let isMuted = world.database.ledgers[row.user]?
                .isMuted(message.conversation.id, through: row.seq)
            hold(isMuted == false, "entry \(row.seq) of \(message.conversation.id), muted, has a task")
        }
    }
}

final class MutesEnd: Invariant {
    let sentence = "muted_until is honoured, and its end is an entry"
    unowned let world: World

    init(_ world: World) { self.world = world }

    func settled() {
        for (user, ledger) in world.database.ledgers {
            for mute in ledger.mutesInForce {
                guard let until = mute.until else { continue }
                hold(
                    until > world.clockwork.wall, "the mute of \(mute.conversation) by \(user) never ended")
            }
        }
    }
}
