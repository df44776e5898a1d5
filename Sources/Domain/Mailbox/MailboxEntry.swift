/// A mailbox sequence number: from 1, without gaps; 0 is "before the first entry".
package typealias MailboxSeq = Int64

/// One change of a user's state, at its place in the log.
package struct MailboxEntry: Equatable, Sendable {
    package let seq: MailboxSeq
    package let materialisedAt: WallTime
    package let change: Change

    package init(seq: MailboxSeq, materialisedAt: WallTime, change: Change) {
        self.seq = seq
        self.materialisedAt = materialisedAt
        self.change = change
    }

    package enum Change: Equatable, Sendable {
        /// `countsUnread`: what the message says, except for its own sender, whom it never counts.
        case message(Message, Mention, countsUnread: Bool)
        /// Read up to a seq, by a device of the user, or by the backend (nil).
        case read(ConversationID, through: MailboxSeq, by: DeviceID?)
        /// The message at this seq was taken back by its sender.
        case recall(ConversationID, MessageID, of: MailboxSeq)
        case settings(ConversationID, isMuted: Bool, until: WallTime?)
    }
}

/// What the fold needs of an entry: no text, so that a mailbox can be folded without reading its messages.
package struct EntryFact: Equatable, Sendable {
    package let seq: MailboxSeq
    package let change: Change

    package init(seq: MailboxSeq, change: Change) {
        self.seq = seq
        self.change = change
    }

    package enum Change: Equatable, Sendable {
        case message(ConversationID, countsUnread: Bool, Mention)
        case read(ConversationID, through: MailboxSeq)
        case recall(ConversationID, of: MailboxSeq)
        case settings(ConversationID, isMuted: Bool, until: WallTime?)

        /// Every change is one of a conversation.
        package var conversation: ConversationID {
            switch self {
            case .message(let id, _, _), .read(let id, _), .recall(let id, _), .settings(let id, _, _): id
            }
        }
    }
}

extension MailboxEntry {
    package var fact: EntryFact {
        switch change {
        case .message(let message, let mention, let countsUnread):
            EntryFact(
                seq: seq, change: .message(message.conversation.id, countsUnread: countsUnread, mention))
        case .read(let conversation, let through, _):
            EntryFact(seq: seq, change: .read(conversation, through: through))
        case .recall(let conversation, _, let of):
            EntryFact(seq: seq, change: .recall(conversation, of: of))
        case .settings(let conversation, let isMuted, let until):
            EntryFact(seq: seq, change: .settings(conversation, isMuted: isMuted, until: until))
        }
    }
}

/// 16 random bytes that name one life of a mailbox: another id means that the log began anew.
package struct MailboxID: Hashable, Sendable {
    package let bytes: [UInt8]

    /// - Precondition: 16 bytes.
    package init(bytes: [UInt8]) {
        precondition(bytes.count == 16)
        self.bytes = bytes
    }
}
