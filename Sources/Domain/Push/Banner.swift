/// What a device shows of a conversation, as far as pushes tell: entries whose push the provider accepted,
/// and no cover since has removed.
package struct Banner: Equatable, Sendable {
    package let conversation: ConversationID
    /// Of the push that was shown last: with the badge's revision it names the `apns-id` of its covers.
    package internal(set) var oldestMessage: MessageID
    /// Ascending by seq; of many the newest `entriesKept`, the rest is counted by the conversation's unread.
    package internal(set) var entries: [NotifiedEntry]
    /// The entry (a read elsewhere, a recall) with which something of what is shown was overtaken, and which
    /// the device has not been told of; nil: nothing was.
    package internal(set) var staleSince: MailboxSeq?

    /// So many entries of a banner can be shown anew by a cover.
    package static let entriesKept = 8

    init(
        _ conversation: ConversationID, oldestMessage: MessageID, entries: [NotifiedEntry] = [],
        staleSince: MailboxSeq? = nil
    ) {
        self.conversation = conversation
        self.oldestMessage = oldestMessage
        self.entries = entries
        self.staleSince = staleSince
    }

    /// The push of a group was accepted, or may have been: then what was stale may be so still.
    mutating func show(_ group: MergeGroup, _ oldest: MessageID, isSure: Bool) {
        oldestMessage = oldest
        for task in group.tasks.indices.suffix(Self.entriesKept) { insert(group.tasks[task]) }
        if isSure, let stale = staleSince, stale <= group.builtSeq { staleSince = nil }
    }

    mutating func insert(_ task: PushTask) {
        let former = entries.lastIndex { $0.seq <= task.seq }
        if let former, entries[former].seq == task.seq { return }
        let entry = NotifiedEntry(
            seq: task.seq, mention: task.mention, message: task.message.withoutLargePayload)
        let at = former.map { $0 + 1 } ?? 0
        if at == entries.count { entries.append(entry) } else { entries.insert(entry, at: at) }
        if entries.count > Self.entriesKept { entries.removeFirst() }
    }
}

extension [Banner] {
    var hasStale: Bool { indices.contains { self[$0].staleSince != nil } }
}

/// An entry whose push was accepted.
package struct NotifiedEntry: Equatable, Sendable {
    package let seq: MailboxSeq
    package let mention: Mention
    /// Nil only where its row has left the store.
    package internal(set) var message: Message?
}

/// A banner that a cover has removed: listed again by later covers until the device is seen, since the
/// provider may keep only the newest push of an app.
package struct CoveredBanner: Equatable, Sendable {
    package let conversation: ConversationID
    /// The head when the cover was built.
    package let seq: MailboxSeq
}

/// A badge that a device was given.
package struct GivenBadge: Equatable, Sendable {
    package let total: Int64
    /// Of the mailbox's state it reflects.
    package let revision: Int64
}
