import Domain
import Engine

/// The pushes that wake a user, counted as its limits count them: one unit for a message, or a group, on all
/// devices together, at the moment at which the first copy leaves.
///
/// Judged where no process dies and no commit fails: what left and was not written down counts twice there.
final class LimitsAreExact: Invariant {
    let sentence =
        "units in any 60 s are within the limits, a message has one verdict on all devices, no drop in vain"
    unowned let world: World
    private var units: [UserKey: [Unit]] = [:]
    private var unitOf: [Copy: Int] = [:]
    private var accepted: Set<Copy> = []
    private static let window: Int64 = 60_000

    private struct Copy: Hashable {
        let user: UserKey
        let seq: MailboxSeq
    }

    private struct Unit {
        let at: Int64
        let conversation: ConversationID
        /// It gave way to a mention before any provider had it.
        var isGivenBack = false
    }

    init(_ world: World) { self.world = world }

    private var isJudged: Bool { world.crashedAt.isEmpty && world.setting.faults.databaseFails == 0 }

    func left(_ push: Push) {
        guard let alert = push.draft.alert, isJudged else { return }
        let copies = push.tasks.map { Copy(user: push.user, seq: $0.seq) }
        let known = copies.lazy.compactMap { self.unitOf[$0] }.first
        let unit = known ?? units[push.user, default: []].count
        if known == nil {
            units[push.user, default: []]
                .append(Unit(at: push.leftAt, conversation: alert.message.conversation.id))
        }
        for copy in copies where unitOf[copy] == nil { unitOf[copy] = unit }
    }

    func answered(_ push: Push, _ verdict: PushVerdict) {
        guard verdict == .accepted, push.draft.alert != nil else { return }
        for task in push.tasks { accepted.insert(Copy(user: task.user, seq: task.seq)) }
    }

    func committed(_ transaction: Transaction) {
        guard isJudged else { return }
        for row in transaction.changes.outcomes where row.reason == .rateLimited {
            let copy = Copy(user: row.user, seq: row.seq)
            hold(!accepted.contains(copy), "entry \(row.seq) was pushed on one device and dropped on another")
            if let unit = unitOf[copy] { units[row.user]?[unit].isGivenBack = true }
            hold(wasFull(row), "entry \(row.seq) is dropped, and there is room")
        }
    }

    /// Whether the window was full at some time between the entry and its end.
    private func wasFull(_ row: OutcomeRow) -> Bool {
        let task = Database.TaskID(user: row.user, device: row.device, seq: row.seq)
        guard let entry = world.database.entry(of: task),
            let conversation = world.database.message(of: task)?.message.conversation.id
        else { return false }
        let began = world.clockwork.now - (row.endedAt - entry.materialisedAt) - 100
        // A window empties with time, and fills with units alone.
        let times = [began] + (units[row.user] ?? []).map(\.at).filter { $0 >= began }
        let policy = world.setting.policy
        return times.contains { time in
            let open = (units[row.user] ?? []).filter { $0.at <= time && time - $0.at < Self.window + 100 }
            return open.count >= policy.pushRatePerUserPerMinute - policy.mentionReserve
                || open.count { $0.conversation == conversation } >= policy.pushRatePerConversationPerMinute
        }
    }

    func settled() {
        guard isJudged else { return }
        let policy = world.setting.policy
        for units in units.values.map({ $0.filter { !$0.isGivenBack } }) {
            for (place, unit) in units.enumerated() {
                let open = units[...place].filter { unit.at - $0.at < Self.window }
                hold(
                    open.count <= policy.pushRatePerUserPerMinute,
                    "\(open.count) units in the minute before \(unit.at)")
                hold(
                    open.count { $0.conversation == unit.conversation }
                        <= policy.pushRatePerConversationPerMinute,
                    "too many units of \(unit.conversation) in the minute before \(unit.at)")
            }
        }
    }
}

final class WakesKeepTheirBudget: Invariant {
    let sentence = "at most wake_budget_per_hour silent wakes for a device; over it, a normal alert"
    unowned let world: World
    private var wakes: [DeviceKey: [(at: Int64, tasks: Set<Database.TaskID>)]] = [:]

    init(_ world: World) { self.world = world }

    func left(_ push: Push) {
        guard push.draft.kind == .wake, world.crashedAt.isEmpty, world.setting.faults.databaseFails == 0
        else { return }
        // A later try of the same wake.
        let tasks = Set(push.tasks)
        guard !(wakes[push.device] ?? []).contains(where: { !$0.tasks.isDisjoint(with: tasks) }) else {
            return
        }
        wakes[push.device, default: []].append((push.leftAt, tasks))
        let recent = wakes[push.device, default: []].count { push.leftAt - $0.at < 3_600_000 }
        hold(
            recent <= world.setting.policy.wakeBudgetPerHour,
            "\(push) is silent wake number \(recent) within an hour")
    }
}
