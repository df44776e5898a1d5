import Domain
import Engine

/// What `mailbox_entry.kind` says.
enum EntryKind: Int16 {
    case message = 1
    case read = 2
    case recall = 3
    case settings = 4
}

/// A mailbox entry as its row: the columns of its kind are set, the others are NULL.
struct EntryColumns {
    let user: Int64
    let seq: MailboxSeq
    let materialisedAt: WallTime
    var kind = EntryKind.message
    var conversation = ""
    var messageKey: Int64?
    var otherSeq: MailboxSeq?
    var mention: Int16 = 0
    var countsUnread = false
    var isMuted: Bool?
    var mutedUntil: WallTime?
    var messageID: String?
    var device: String?

    init(_ row: EntryRow) {
        user = row.user.raw
        seq = row.entry.seq
        materialisedAt = row.entry.materialisedAt
        switch row.entry.change {
        case .message(let message, let mention, let countsUnread):
            conversation = message.conversation.id.text
            messageKey = message.key.raw
            self.mention = Int16(mention.rawValue)
            self.countsUnread = countsUnread
        case .read(let conversation, let through, let device):
            (kind, self.conversation) = (.read, conversation.text)
            otherSeq = through
            self.device = device?.text
        case .recall(let conversation, let message, let seq):
            (kind, self.conversation) = (.recall, conversation.text)
            messageID = message.text
            otherSeq = seq
        case .settings(let conversation, let isMuted, let until):
            (kind, self.conversation) = (.settings, conversation.text)
            self.isMuted = isMuted
            mutedUntil = until
        }
    }
}

extension Row {
    /// The columns of `load_tails` after the user.
    mutating func entryFact() -> EntryFact? {
        let seq = int8()
        let kind = EntryKind(rawValue: int2())
        let conversation = ConversationID(text())
        let otherSeq = int8OrNil() ?? 0
        let mention = mention()
        let countsUnread = bool()
        let isMuted = boolOrNil() ?? false
        let until = timestampOrNil()
        let change: EntryFact.Change
        switch kind {
        case .message: change = .message(conversation, countsUnread: countsUnread, mention)
        case .read: change = .read(conversation, through: otherSeq)
        case .recall: change = .recall(conversation, of: otherSeq)
        case .settings: change = .settings(conversation, isMuted: isMuted, until: until)
        case nil: return nil
        }
        return EntryFact(seq: seq, change: change)
    }

    /// The columns of `load_mailbox_page`; nil if the entry's message is missing.
    mutating func mailboxEntry() -> MailboxEntry? {
        let seq = int8()
        let materialisedAt = timestamp()
        let kind = EntryKind(rawValue: int2())
        let conversation = ConversationID(text())
        let otherSeq = int8OrNil() ?? 0
        let mention = mention()
        let countsUnread = bool()
        let isMuted = boolOrNil() ?? false
        let until = timestampOrNil()
        let messageID = MessageID(textOrNil() ?? "")
        let device = textOrNil().map { DeviceID($0) }
        let change: MailboxEntry.Change
        switch kind {
        case .message:
            guard let message = messageOrNil() else { return nil }
            change = .message(message, mention, countsUnread: countsUnread)
        case .read: change = .read(conversation, through: otherSeq, by: device)
        case .recall: change = .recall(conversation, messageID, of: otherSeq)
        case .settings: change = .settings(conversation, isMuted: isMuted, until: until)
        case nil: return nil
        }
        return MailboxEntry(seq: seq, materialisedAt: materialisedAt, change: change)
    }

    mutating func mention() -> Mention { Mention(rawValue: UInt8(int2())) ?? .none }
}
