import Domain
import Engine

/// Quiet is reckoned from the tables alone: the user's window, and the zone of user, device or tenant.
final class QuietHoursAreQuiet: Invariant {
    let sentence = "inside the user's quiet hours only mentions push; outside of them, nobody is kept quiet"
    unowned let world: World

    init(_ world: World) { self.world = world }

    func committed(_ transaction: Transaction) {
        for row in transaction.changes.tasksMade where row.mention == .none {
            let isQuiet = possibilities(row.user, row.device, transaction).map {
                Self.isQuiet($0, $1, at: row.materialisedAt)
            }
            hold(!isQuiet.allSatisfy { $0 }, "entry \(row.seq), plain, makes a task in quiet hours")
        }
        for row in transaction.changes.outcomes where row.reason == .quietHours {
            let isQuiet = possibilities(row.user, row.device, transaction).map {
                Self.isQuiet($0, $1, at: row.endedAt)
            }
            hold(isQuiet.contains(true), "entry \(row.seq) is kept quiet, and it is not")
        }
    }

    func left(_ push: Push) {
        guard push.draft.kind == .alert, let device = world.database.devices[push.device] else { return }
        let isQuiet = Self.isQuiet(
            world.database.settings[push.user], zone(world.database.settings[push.user], device.row),
            at: world.clockwork.wall)
        for task in push.tasks where isQuiet {
            hold(world.database.message(of: task)?.mention != Mention.none, "\(push) leaves in quiet hours")
        }
    }

    /// Settings and zones as they were before the batch and after it: either may have been in force.
    private func possibilities(
        _ user: UserKey, _ device: DeviceKey, _ transaction: Transaction
    ) -> [(UserSettings?, String)] {
        let devices = [transaction.rowsBefore[device]?.row, world.database.devices[device]?.row]
        let settings = [transaction.settingsBefore[user], world.database.settings[user]]
        return settings.flatMap { settings in
            devices.compactMap { $0 }.map { (settings, zone(settings, $0)) }
        }
    }

    private func zone(_ settings: UserSettings?, _ device: DeviceRow) -> String {
        settings?.timeZone ?? device.profile.timeZone ?? world.tenant.policy.timeZone
    }

    private static func isQuiet(_ settings: UserSettings?, _ zone: String, at time: WallTime) -> Bool {
        guard let hours = settings?.quietHours else { return false }
        let (start, end) = (Int64(hours.start), Int64(hours.end))
        let sinceStart = (FixedZones.minuteOfDay(at: time, zone: zone) - start + 1_440) % 1_440
        let length = (end - start + 1_440) % 1_440
        return sinceStart < (length == 0 ? 1_440 : length)
    }
}
