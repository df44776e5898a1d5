package import Domain
package import Wire

/// The `ENTRY` object, the same over the gateway and in a page of the mailbox.
/// What a message shows is spliced in as it came; nothing is encoded twice.
package enum EntryEncoding {
    package static func append(_ entry: MailboxEntry, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("type", "ENTRY")
        switch entry.change {
        case .message(let message, let mention, let countsUnread):
            writer.member("kind", "message")
            writer.member("mailbox_seq", entry.seq)
            append(message, mention, countsUnread, sentBy: entry.materialisedAt, to: &writer)
        case .read(let conversation, let through, let device):
            writer.member("kind", "read")
            writer.member("mailbox_seq", entry.seq)
            writer.member("conversation_id", conversation.text)
            writer.member("read_mailbox_seq", through)
            writer.key("device")
            if let device { writer.string(device.text) } else { writer.null() }
        case .recall(let conversation, let message, _):
            writer.member("kind", "recall")
            writer.member("mailbox_seq", entry.seq)
            writer.member("message_id", message.text)
            writer.member("conversation_id", conversation.text)
        case .settings(let conversation, let isMuted, let until):
            writer.member("kind", "settings")
            writer.member("mailbox_seq", entry.seq)
            writer.member("conversation_id", conversation.text)
            writer.member("muted", isMuted)
            writer.key("muted_until")
            writer.time(until)
        }
        writer.endObject()
    }

    private static func append(
        _ message: Message, _ mention: Mention, _ countsUnread: Bool, sentBy materialisedAt: WallTime,
        to writer: inout JSONWriter
    ) {
        writer.member("message_id", message.id.text)
        writer.member("conversation_id", message.conversation.id.text)
        writer.member("sender", message.sender.user.text)
        writer.member("mention_type", mention.word)
        writer.member("counts_unread", countsUnread)
        writer.key("sent_at")
        writer.time(message.sentAt ?? materialisedAt)
        if !message.notification.isEmpty { writer.member("notification", raw: message.notification) }
        if !message.payload.isEmpty { writer.member("payload", raw: message.payload) }
    }
}

extension Mention {
    /// The word of the interface.
    package var word: String {
        switch self {
        case .none: "none"
        case .user: "user"
        case .all: "all"
        }
    }
}

extension MailboxID {
    /// The form of a UUID.
    package var text: String { UUIDBytes(bytes).text }

    package init?(text: String) {
        guard let id = UUIDBytes(text: text) else { return nil }
        self.init(bytes: id.bytes)
    }
}

extension JSONWriter {
    /// RFC 3339 in UTC, or `null`.
    package mutating func time(_ time: WallTime?) {
        guard let time else { return null() }
        string(Timestamp.text(millisecondsSince1970: time.milliseconds))
    }

    /// The members of a `UserBadgeState`, into an open object.
    package mutating func badge(_ badge: BadgeState) {
        member("total_unread", badge.totalUnread)
        member("total_mention", badge.totalMention)
        member("muted_unread", badge.mutedUnread)
        member("badge_projection_mailbox_seq", badge.projectionSeq)
    }
}
