import Domain
import Engine

/// What a batch wrote, beside what was there before.
final class Transaction {
    let changes: ChangeSet
    /// Of the devices that were there before, those that could be woken.
    let wakeableBefore: Set<DeviceKey>
    let rowsBefore: [DeviceKey: Database.Device]
    let settingsBefore: [UserKey: UserSettings]
    private let touched: Set<DeviceKey>
    private let heads: [UserKey: MailboxSeq]

    init(_ changes: ChangeSet, before database: Database) {
        self.changes = changes
        rowsBefore = database.devices
        settingsBefore = database.settings
        wakeableBefore = Set(database.devices.values.filter(\.isWakeable).map(\.row.key))
        touched = Set(changes.devices.map(\.key)).union(changes.digestsChanged.keys)
        heads = database.ledgers.mapValues(\.head)
    }

    /// Whether the device was there before, and neither it nor its tokens changed.
    func isUntouched(_ device: DeviceKey) -> Bool {
        rowsBefore[device] != nil && !touched.contains(device)
    }

    /// Whether a conversation was muted at some entry of the batch, or just before it.
    func wasMuted(_ conversation: ConversationID, of user: UserKey, _ ledger: Ledger) -> Bool {
        ((heads[user] ?? 0)...ledger.head).contains { ledger.isMuted(conversation, through: $0) }
    }
}
