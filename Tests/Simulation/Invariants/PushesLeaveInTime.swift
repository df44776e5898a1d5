import Domain
import Engine

/// The deadlines of PD-1: at once, 3 s, 18 s after the first write; never earlier, and, where nothing but
/// processes fails, no later than a merge window, a batch and the request before it take.
final class PushesLeaveInTime: Invariant {
    let sentence = "a push falls due at once, after 3 s, or 18 s after the first write"
    unowned let world: World
    private var leftAt: [Database.TaskID: Int64] = [:]
    private var materialisedAt: [Database.TaskID: Int64] = [:]

    init(_ world: World) { self.world = world }

    func committed(_ transaction: Transaction) {
        for row in transaction.changes.tasksMade {
            let id = Database.TaskID(user: row.user, device: row.device, seq: row.seq)
            materialisedAt[id] = world.clockwork.instant(ofLately: row.materialisedAt)
        }
    }

    func left(_ push: Push) {
        for task in push.tasks where leftAt[task] == nil {
            leftAt[task] = push.leftAt
            judgeEarliness(task, push)
        }
    }

    /// PUSHED does not cancel, but while the connection lives it is waited for.
    private func judgeEarliness(_ task: Database.TaskID, _ push: Push) {
        guard let client = world.client(task.device), let welcomed = client.presence.welcomedAt,
            let written = client.presence.writes[task.seq], let materialised = materialisedAt[task],
            welcomed < materialised, !client.presence.isOpen(writtenAt: written), world.crashedAt.isEmpty,
            world.setting.faults.databaseFails == 0
        else { return }
        let (grace, confirm) = (
            world.tenant.policy.pushGraceWindow, world.tenant.policy.pushConfirmExtendedWindow
        )
        hold(
            push.leftAt >= written + confirm || written > materialised + grace,
            "\(push) leaves \(push.leftAt - written) ms after the first write of \(task.seq)")
    }

    func settled() {
        guard world.setting.faults.channelFaults == 0 else { return }
        for (task, left) in leftAt {
            guard let client = world.client(task.device), let materialised = materialisedAt[task],
                let due = client.presence.deadline(
                    of: task.seq, materialisedAt: materialised, crashes: world.crashedAt,
                    world.tenant.policy),
                !world.haltedChannels
            else { continue }
            hold(
                left >= due - 100 && left <= due + world.tenant.policy.pushMergeWindow + 1_000,
                "\(client.name) was woken for \(task.seq) \(left - due) ms after it was due")
        }
    }
}
