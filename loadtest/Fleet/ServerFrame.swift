import Wire

/// What AUTH_OK says.
struct WelcomeFrame: Equatable, Sendable {
    let connection: String
    let mailbox: UUIDBytes
    let head: Int64
    let firstSeq: Int64
    let isTruncated: Bool
    let badge: ShownBadge?

    init?(_ frame: JSONNode) {
        guard let connection = frame["connection"]?.string,
            let mailbox = frame["mailbox_id"]?.string.flatMap({ UUIDBytes(text: $0) }),
            let head = frame["mailbox_seq"]?.integer, let first = frame["first_mailbox_seq"]?.integer,
            let isTruncated = frame["truncated"]?.bool
        else { return nil }
        self.connection = connection
        self.mailbox = mailbox
        self.head = head
        firstSeq = first
        self.isTruncated = isTruncated
        badge = ShownBadge(frame)
    }
}

/// A frame of the server, as far as a device of the harness needs it.
enum ServerFrame: Sendable {
    struct Entry: Equatable, Sendable {
        let seq: Int64
        let kind: String
        let messageID: String?
        /// When the harness sent the message, by the machine's boot clock; nil if it did not.
        let sentAt: UInt64?
        var conversation = ""
        /// A message that counts into what is unread.
        var countsUnread = false
        var isMention = false
        /// Of a read.
        var readSeq: Int64 = 0
        /// Of settings.
        var isMuted = false

        init(seq: Int64, kind: String, messageID: String? = nil, sentAt: UInt64? = nil) {
            self.seq = seq
            self.kind = kind
            self.messageID = messageID
            self.sentAt = sentAt
        }
    }

    case welcome(WelcomeFrame)
    case entry(Entry)
    case badge(ShownBadge)
    case error(code: String, detail: String)
    /// CALL or CALL_CANCELLED.
    case call(type: String, id: String)
    /// Any other type, by its name.
    case other(String)

    /// Nil if it is not a frame that the contract knows.
    init?(parsing bytes: [UInt8]) {
        guard let root = (try? JSONDocument(parsing: bytes))?.root, let type = root["type"]?.string else {
            return nil
        }
        switch type {
        case "ENTRY":
            guard let entry = Entry(root) else { return nil }
            self = .entry(entry)
        case "AUTH_OK":
            guard let welcome = WelcomeFrame(root) else { return nil }
            self = .welcome(welcome)
        case "BADGE_UPDATE":
            guard let badge = ShownBadge(root) else { return nil }
            self = .badge(badge)
        case "CALL", "CALL_CANCELLED":
            guard let id = root["call_id"]?.string else { return nil }
            self = .call(type: type, id: id)
        case "ERROR":
            self = .error(code: root["code"]?.string ?? "", detail: root["detail"]?.string ?? "")
        default: self = .other(type)
        }
    }
}

extension ServerFrame.Entry {
    /// Also reads an element of a page of the mailbox, which has the same form.
    init?(_ node: JSONNode) {
        guard let seq = node["mailbox_seq"]?.integer, let kind = node["kind"]?.string else { return nil }
        self.init(
            seq: seq, kind: kind, messageID: node["message_id"]?.string,
            sentAt: node["payload"]?["client_time"]?.string.flatMap { UInt64($0) })
        conversation = node["conversation_id"]?.string ?? ""
        countsUnread = node["counts_unread"]?.bool ?? false
        isMention = node["mention_type"]?.string.map { $0 != "none" } ?? false
        readSeq = node["read_mailbox_seq"]?.integer ?? 0
        isMuted = node["muted"]?.bool ?? false
    }

    /// The number in an id of the harness's own messages; -1 for others.
    var messageNumber: Int32 {
        guard let messageID, messageID.hasPrefix("m-"), let number = Int32(messageID.dropFirst(2)) else {
            return -1
        }
        return number
    }
}

/// The frames a device sends.
enum DeviceFrame {
    static func authenticate(token: String, mailbox: UUIDBytes?, appliedSeq: Int64, isFromHead: Bool)
        -> [UInt8]
    {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "AUTH")
        writer.member("token", token)
        writer.member("mailbox_id", ifPresent: mailbox?.text)
        if isFromHead { writer.member("from", "head") } else { writer.member("applied_seq", appliedSeq) }
        writer.endObject()
        return writer.bytes
    }

    static func applied(_ seq: Int64) -> [UInt8] { Array(#"{"type":"APPLIED","mailbox_seq":\#(seq)}"#.utf8) }
}
