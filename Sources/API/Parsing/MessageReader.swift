import Domain
package import Engine
import Wire

/// The message of `POST /v1/messages`: every rule of the interface, and nothing decided.
package enum MessageReader {
    package static let maximumRecipients = 10_000
    package static let maximumPayloadBytes = 65_536
    static let maximumNameBytes = 1_024
    static let maximumMembers: Int64 = 10_000_000
    /// Four weeks: no provider keeps a push for longer.
    static let maximumExpirySeconds: Int64 = 2_419_200

    /// - Throws: the problem to answer with.
    package static func message(parsing body: [UInt8]) throws(Problem) -> IncomingMessage {
        try message(JSONDocument.object(parsing: body))
    }

    static func message(_ root: JSONNode) throws(Problem) -> IncomingMessage {
        var draft = MessageDraft()
        for (key, value) in root.fields { try draft.take(key, value) }
        return try draft.finish()
    }
}

/// The fields read so far.
private struct MessageDraft {
    private var id: MessageID?
    private var conversation: ConversationDraft?
    private var sender: Message.Sender?
    private var recipients: [UserID] = []
    private var mentionedUsers: Set<UserID> = []
    private var mentionsAll = false
    private var countsUnread = true
    private var wantsPush = true
    private var sentAt: WallTime?
    private var expiresInSeconds: Int64?
    private var notification: [UInt8] = []
    private var wantsWake = false
    private var payload: [UInt8] = []

    mutating func take(_ key: JSONKey, _ value: JSONNode) throws(Problem) {
        switch key {
        case "message_id": id = try value.present?.identifier("message_id")
        case "conversation": conversation = try value.present.map(ConversationDraft.init)
        case "sender": sender = try value.present.map(Self.sender)
        case "recipients": recipients = try Self.users(value, "recipients", "recipients[]")
        case "mentions": if let mentions = value.present { try take(mentions: mentions) }
        case "notification":
            if let value = value.present {
                notification = try NotificationReader.check(value)
                wantsWake = value["wake"]?.bool == true
            }
        case "payload": payload = try Self.payload(value)
        case "counts_unread": countsUnread = try value.present?.flag("counts_unread") ?? true
        case "push": wantsPush = try value.present?.flag("push") ?? true
        case "expires_in_s":
            expiresInSeconds = try value.present?.whole(
                "expires_in_s", 1...MessageReader.maximumExpirySeconds)
        case "sent_at": sentAt = try value.present?.time("sent_at")
        default: throw .unknownField(key.text)
        }
    }

    func finish() throws(Problem) -> IncomingMessage {
        guard let id else { throw .missing("message_id") }
        guard let conversation else { throw .missing("conversation") }
        guard let sender else { throw .missing("sender") }
        guard !recipients.isEmpty else { throw .missing("recipients") }
        return IncomingMessage(
            id: id, conversation: try conversation.finish(recipients: recipients.count), sender: sender,
            recipients: recipients, mentionedUsers: mentionedUsers, mentionsAll: mentionsAll,
            countsUnread: countsUnread, wantsPush: wantsPush, sentAt: sentAt,
            expiresInSeconds: expiresInSeconds, notification: notification, payload: payload,
            wantsWake: wantsWake)
    }

    private mutating func take(mentions: JSONNode) throws(Problem) {
        for (key, value) in try mentions.object("mentions").fields {
            switch key {
            case "users":
                guard let value = value.present else { continue }
                mentionedUsers = Set(
                    try Self.users(value, "mentions.users", "mentions.users[]", mayBeEmpty: true))
            case "all": mentionsAll = try value.present?.flag("mentions.all") ?? false
            default: throw .unknownField("mentions.\(key.text)")
            }
        }
    }

    private static func sender(_ node: JSONNode) throws(Problem) -> Message.Sender {
        var user: UserID?
        var name: String?
        var device: DeviceID?
        for (key, value) in try node.object("sender").fields {
            switch key {
            case "user": user = try value.present?.identifier("sender.user")
            case "name":
                name = try value.present?.name("sender.name", upTo: MessageReader.maximumNameBytes)
            case "device": device = try value.present?.identifier("sender.device")
            default: throw .unknownField("sender.\(key.text)")
            }
        }
        guard let user else { throw .missing("sender.user") }
        return Message.Sender(user: user, name: name, device: device)
    }

    /// Without duplicates, in the order given.
    private static func users(
        _ node: JSONNode, _ path: StaticString, _ element: StaticString, mayBeEmpty: Bool = false
    ) throws(Problem) -> [UserID] {
        var users: [UserID] = []
        var seen: Set<UserID> = []
        for value in try node.list(path) {
            guard users.count < MessageReader.maximumRecipients else {
                throw .invalid(path, "may name up to \(MessageReader.maximumRecipients) users")
            }
            let user: UserID = try value.identifier(element)
            if users.isEmpty || Self.isNew(user, users, &seen) { users.append(user) }
        }
        guard mayBeEmpty || !users.isEmpty else { throw .invalid(path, "must name at least one user") }
        return users
    }

    /// A few are compared; a set is worth its making only for many.
    private static func isNew(_ user: UserID, _ users: [UserID], _ seen: inout Set<UserID>) -> Bool {
        guard users.count >= 8 else { return !users.contains(user) }
        if seen.isEmpty { seen = Set(users) }
        return seen.insert(user).inserted
    }

    private static func payload(_ node: JSONNode) throws(Problem) -> [UInt8] {
        let bytes = node.rawBytes
        guard bytes.count <= MessageReader.maximumPayloadBytes else {
            throw Problem(
                .payloadTooLarge, "payload is longer than \(MessageReader.maximumPayloadBytes) bytes.")
        }
        return Array(bytes)
    }
}

/// The conversation's fields.
private struct ConversationDraft {
    private var id: ConversationID?
    private var kind: Message.Conversation.Kind?
    private var name: String?
    private var memberCount: Int?
    private var isEndToEndEncrypted = false

    init(_ node: JSONNode) throws(Problem) {
        for (key, value) in try node.object("conversation").fields {
            switch key {
            case "id": id = try value.present?.identifier("conversation.id")
            case "kind": kind = try value.present.map(Self.kind)
            case "name":
                name = try value.present?.name("conversation.name", upTo: MessageReader.maximumNameBytes)
            case "member_count":
                memberCount = try value.present.map { node throws(Problem) in
                    Int(try node.whole("conversation.member_count", 0...MessageReader.maximumMembers))
                }
            case "e2ee": isEndToEndEncrypted = try value.present?.flag("conversation.e2ee") ?? false
            default: throw .unknownField("conversation.\(key.text)")
            }
        }
    }

    /// A group that does not tell its size has at least those it is sent to.
    func finish(recipients: Int) throws(Problem) -> Message.Conversation {
        guard let id else { throw .missing("conversation.id") }
        guard let kind else { throw .missing("conversation.kind") }
        return Message.Conversation(
            id: id, kind: kind, name: name, memberCount: memberCount ?? max(2, recipients),
            isEndToEndEncrypted: isEndToEndEncrypted)
    }

    private static func kind(_ node: JSONNode) throws(Problem) -> Message.Conversation.Kind {
        if node.isString("direct") { return .direct }
        if node.isString("group") { return .group }
        guard node.kind == .string else { throw .wrongType("conversation.kind", "a string") }
        throw .invalid("conversation.kind", "must be \"direct\" or \"group\"")
    }
}
