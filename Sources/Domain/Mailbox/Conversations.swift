/// The fold of a user's entries: per conversation what is unread, read and muted, and the badge over all.
///
/// A pure function of the log: the same entries give the same value, wherever the fold was interrupted.
package struct Conversations: Equatable, Sendable {
    package internal(set) var all: [ConversationID: Conversation] = [:]
    package internal(set) var badge = BadgeState()
    /// Tenant policy: whether muted conversations count into `total_unread`.
    package private(set) var badgeCountsMuted: Bool

    package init(badgeCountsMuted: Bool) { self.badgeCountsMuted = badgeCountsMuted }

    /// When the first of the mutes ends that end by themselves.
    package var nextMuteEnd: WallTime? {
        all.values.lazy.compactMap { $0.isMuted ? $0.mutedUntil : nil }.min()
    }

    package subscript(_ id: ConversationID) -> Conversation { all[id] ?? Conversation() }

    /// Answers with the entry's conversation as it is now.
    @discardableResult
    package mutating func fold(_ fact: EntryFact) -> Conversation {
        badge.projectionSeq = fact.seq
        return switch fact.change {
        case .message(let conversation, let countsUnread, let mention):
            change(conversation) {
                $0.lastSeq = fact.seq
                if countsUnread { $0.append(UnreadEntry(seq: fact.seq, isMention: mention != .none)) }
            }
        case .read(let conversation, let through):
            change(conversation) { $0.read(through: through) }
        case .recall(let conversation, let seq):
            change(conversation) { $0.remove(seq) }
        case .settings(let conversation, let isMuted, let until):
            change(conversation) {
                $0.isMuted = isMuted
                $0.mutedUntil = until
            }
        }
    }

    /// A changed policy changes the number, not the log.
    package mutating func apply(badgeCountsMuted counts: Bool) {
        guard counts != badgeCountsMuted else { return }
        badgeCountsMuted = counts
        recount()
    }

    mutating func recount() {
        let seq = badge.projectionSeq
        badge = BadgeState()
        badge.projectionSeq = seq
        for conversation in all.values { badge.add(conversation.counts(muted: badgeCountsMuted)) }
    }

    /// In its place: a copy would be one of all that is unread.
    private mutating func change(
        _ id: ConversationID, _ body: (inout Conversation) -> Void
    ) -> Conversation {
        let countsMuted = badgeCountsMuted
        let change = all[id, default: Conversation()].change(countsMuted: countsMuted, body)
        badge.remove(change.before)
        badge.add(change.after)
        return change.conversation
    }
}

/// What one conversation adds to the badge.
private struct BadgeCounts {
    let unread: Int64
    let mentions: Int64
    let muted: Int64
}

extension BadgeState {
    fileprivate mutating func add(_ counts: BadgeCounts) {
        totalUnread += counts.unread
        totalMention += counts.mentions
        mutedUnread += counts.muted
    }

    fileprivate mutating func remove(_ counts: BadgeCounts) {
        totalUnread -= counts.unread
        totalMention -= counts.mentions
        mutedUnread -= counts.muted
    }
}

extension Conversation {
    fileprivate func counts(muted countsMuted: Bool) -> BadgeCounts {
        let unread = Int64(unread.count)
        guard isMuted else { return BadgeCounts(unread: unread, mentions: mentions, muted: 0) }
        return BadgeCounts(unread: countsMuted ? unread : mentions, mentions: mentions, muted: unread)
    }

    fileprivate mutating func change(
        countsMuted: Bool, _ body: (inout Conversation) -> Void
    ) -> (before: BadgeCounts, after: BadgeCounts, conversation: Conversation) {
        let before = counts(muted: countsMuted)
        body(&self)
        return (before, counts(muted: countsMuted), self)
    }
}

/// One conversation of one user.
package struct Conversation: Equatable, Sendable {
    /// Ascending by seq, all above `readSeq`.
    package private(set) var unread: [UnreadEntry] = []
    /// How many of the unread entries mention the user.
    package private(set) var mentions: Int64 = 0
    package internal(set) var readSeq: MailboxSeq = 0
    package internal(set) var lastSeq: MailboxSeq = 0
    package internal(set) var isMuted = false
    package internal(set) var mutedUntil: WallTime?

    mutating func append(_ entry: UnreadEntry) {
        unread.append(entry)
        if entry.isMention { mentions += 1 }
    }

    mutating func remove(_ seq: MailboxSeq) {
        guard let index = unread.firstIndex(where: { $0.seq == seq }) else { return }
        if unread.remove(at: index).isMention { mentions -= 1 }
    }

    /// Markers never move backwards.
    mutating func read(through seq: MailboxSeq) {
        guard seq > readSeq else { return }
        readSeq = seq
        let kept = unread.firstIndex { $0.seq > seq } ?? unread.endIndex
        for entry in unread[..<kept] where entry.isMention { mentions -= 1 }
        unread.removeSubrange(..<kept)
    }
}

/// One conversation as it stands after a change: what SESSION_DELTA tells connected devices.
package struct ConversationDelta: Equatable, Sendable {
    package let id: ConversationID
    package let unread: Int64
    package let mentions: Int64
    package let readSeq: MailboxSeq
    package let isMuted: Bool

    package init(_ id: ConversationID, _ conversation: Conversation) {
        self.id = id
        unread = Int64(conversation.unread.count)
        mentions = conversation.mentions
        readSeq = conversation.readSeq
        isMuted = conversation.isMuted
    }
}

/// An unread entry: its seq, and whether it mentions the user.
package struct UnreadEntry: Equatable, Sendable {
    let packed: Int64

    package init(seq: MailboxSeq, isMention: Bool) { packed = seq << 1 | (isMention ? 1 : 0) }

    init(packed: Int64) { self.packed = packed }

    package var seq: MailboxSeq { packed >> 1 }
    package var isMention: Bool { packed & 1 == 1 }
}
