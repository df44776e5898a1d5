import Domain
import Engine

/// Judged again at build: what was read, applied, recalled, muted meanwhile, or has expired, does not leave.
final class NothingIsSentInVain: Invariant {
    let sentence =
        "mute, read, applied, recall, expiry and the token are looked at again when a push is built"
    unowned let world: World

    init(_ world: World) { self.world = world }

    func left(_ push: Push) {
        hold(push.draft.expiresAt > world.clockwork.wall, "\(push) has expired")
        let device = world.database.devices[push.device]
        let ledger = world.database.ledgers[push.user] ?? Ledger()
        for task in push.tasks {
            guard let (message, mention) = world.database.message(of: task) else {
                return hold(false, "\(push) is for no message")
            }
            let conversation = message.conversation.id
            hold(ledger.marker(of: conversation) < task.seq, "\(push): \(task.seq) has been read")
            hold(!ledger.isRecalled(task.seq), "\(push): \(task.seq) has been recalled")
            hold(device?.row.appliedSeq ?? 0 < task.seq, "\(push): \(task.seq) has been applied")
            hold(
                mention != .none || !ledger.isMuted(conversation),
                "\(push): \(task.seq) is plain, and \(conversation) is muted")
            hold(world.database.outcomes[task] == nil, "\(push): \(task.seq) has ended")
        }
    }
}
