import Domain
import Engine

/// PD-1, in the tables: whatever the user's other devices do, an entry makes a task for each device.
///
/// Devices that came, went or changed in the entry's own transaction are left out.
final class EveryEntryWakes: Invariant {
    let sentence = "a task exists from materialisation, for every wakeable device that policy allows"
    unowned let world: World

    init(_ world: World) { self.world = world }

    func committed(_ transaction: Transaction) {
        for row in transaction.changes.entries {
            guard case .message(let message, let mention, _) = row.entry.change else { continue }
            let isOwn = message.sender.user == world.database.users[row.user]?.name.user
            for device in world.database.devices.values
            where device.row.user == row.user && transaction.isUntouched(device.row.key)
                && !device.row.profile.isSignedOut
            {
                let id = Database.TaskID(user: row.user, device: device.row.key, seq: row.entry.seq)
                if isOwn || !message.wantsPush {
                    hold(world.database.tasks[id] == nil, "\(name(id)) makes a task that nobody wants")
                } else {
                    judge(id, message, mention, transaction)
                }
            }
        }
    }

    private func judge(
        _ id: Database.TaskID, _ message: Message, _ mention: Mention, _ transaction: Transaction
    ) {
        let outcome = world.database.outcomes[id]
        hold(
            world.database.tasks[id] != nil || outcome != nil, "\(name(id)) has neither a task nor an outcome"
        )
        guard outcome?.outcome == .suppressed, transaction.wakeableBefore.contains(id.device) else { return }
        let isMuted = world.database.ledgers[id.user]?.isMuted(message.conversation.id, through: id.seq)
        // Whether it is quiet has an invariant of its own.
        hold(
            mention == .none && (isMuted == true || outcome?.reason == .quietHours),
            "\(name(id)) is suppressed (\(outcome?.reason.word ?? "")), and no rule forbids it")
    }

    private func name(_ id: Database.TaskID) -> String {
        "\(world.client(id.device)?.name ?? "?") entry \(id.seq)"
    }
}
