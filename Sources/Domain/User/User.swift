/// One user's live state and every decision about it: events in, actions out, no clock, no I/O.
///
/// The whole of PD-1 lives here: a task exists from the materialisation of a message for each wakeable
/// device, whatever the user's other devices do; evidence of that device only moves or deletes it.
package struct User: Sendable {
    package let key: UserKey
    package let id: UserID
    package let mailboxID: MailboxID
    /// The newest seq; 0 in an empty mailbox.
    package internal(set) var head: MailboxSeq
    /// The lowest seq still kept.
    package internal(set) var firstSeq: MailboxSeq
    package internal(set) var conversations: Conversations
    package internal(set) var devices: [Device]
    package internal(set) var calls = UserCalls()
    package var sharedPolicy: SharedPolicy {
        didSet { conversations.apply(badgeCountsMuted: policy.badgeCountsMuted) }
    }
    package internal(set) var settings: UserSettings
    /// The zone that the user has set, and the tenant's, as values; nil: none, or one that the database of
    /// zones does not have.
    var zone: ZoneRules?
    package var tenantZone: ZoneRules
    package internal(set) var rateWindow = RateWindow()
    /// As stored, until the open tasks are read back that they are about.
    var restoredVerdicts: [MailboxSeq: RateVerdict] = [:]
    var entriesSinceCheckpoint = 0
    /// When the next mute runs out, on both clocks.
    var muteEnd: Moment?
    /// Whether a device is owed a cover or a badge, as the stored record says: such a user is read back after
    /// a crash.
    package internal(set) var isOwed = false
    /// When the numbers of the badge moved last.
    var badgeMovedAt = Instant(milliseconds: 0)
    /// `total_unread` before that: what a push would carry were it not that of its moment.
    var formerTotal: Int64 = 0

    /// A projection is stored at the latest after so many entries.
    package static let checkpointInterval = 256

    package init(
        key: UserKey, id: UserID, mailboxID: MailboxID, head: MailboxSeq = 0, firstSeq: MailboxSeq = 1,
        conversations: Conversations? = nil, devices: [Device] = [], policy: SharedPolicy,
        settings: UserSettings = UserSettings(), zone: ZoneRules? = nil, tenantZone: ZoneRules = .utc
    ) {
        self.key = key
        self.id = id
        self.mailboxID = mailboxID
        self.head = head
        self.firstSeq = firstSeq
        self.conversations = conversations ?? Conversations(badgeCountsMuted: policy.values.badgeCountsMuted)
        self.devices = devices
        sharedPolicy = policy
        self.settings = settings
        self.zone = zone
        self.tenantZone = tenantZone
        self.conversations.apply(badgeCountsMuted: policy.values.badgeCountsMuted)
    }

    package var policy: Policy { sharedPolicy.values }

    package var badge: BadgeState { conversations.badge }

    package func device(_ id: DeviceID) -> Device? { devices.first { $0.id == id } }

    package func device(_ key: DeviceKey) -> Device? { devices.first { $0.key == key } }

    /// Whether any device of the user has a connection.
    var isOnline: Bool { devices.indices.contains { devices[$0].isConnected } }

    package var isIdle: Bool {
        calls.isQuiet
            && devices.allSatisfy { $0.presence == nil && !$0.hasOpenTasks && !$0.isOwed }
    }

    /// The next instant at which `timePassed` has something to do.
    package var nextDeadline: Instant? {
        var next = devices.lazy.compactMap(\.nextDeadline).min()
        if let end = muteEnd?.instant { next = min(next ?? end, end) }
        if let call = calls.nextDeadline { next = min(next ?? call, call) }
        return next
    }

    func index(_ id: DeviceID) -> Int? { devices.firstIndex { $0.id == id } }

    func index(_ key: DeviceKey) -> Int? { devices.firstIndex { $0.key == key } }

    func index(of connection: ConnectionID) -> Int? {
        devices.firstIndex { $0.presence?.connection == connection }
    }

    /// Appends an entry of any kind: the only way the head moves. Answers with its conversation as it is now.
    @discardableResult
    mutating func append(
        _ change: MailboxEntry.Change, at now: Moment, _ actions: inout [UserAction]
    ) -> Conversation {
        head += 1
        let entry = MailboxEntry(seq: head, materialisedAt: now.wall, change: change)
        let before = badge
        let fact = entry.fact
        let conversation = conversations.fold(fact)
        actions.append(.append(entry))
        for index in devices.indices {
            guard let presence = devices[index].presence, presence.isLive else { continue }
            actions.append(.deliver(presence.connection, entry))
        }
        if isOnline { actions.append(.showConversation(fact.change.conversation)) }
        if badge.totalUnread != before.totalUnread || badge.totalMention != before.totalMention
            || badge.mutedUnread != before.mutedUnread
        {
            if isOnline { actions.append(.showBadge) }
            badgeMovedAt = now.instant
            formerTotal = before.totalUnread
        }
        entriesSinceCheckpoint += 1
        if entriesSinceCheckpoint >= Self.checkpointInterval {
            entriesSinceCheckpoint = 0
            actions.append(.saveCheckpoint)
        }
        return conversation
    }
}
