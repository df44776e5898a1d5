/// One message of the backend, shared by the entries of all its recipients. Immutable.
///
/// What decides is parsed; what is only shown (`notification`, `payload`) stays the verbatim JSON
/// text it came as, so that it is written to sockets and to the store without another encoding.
package final class Message: Sendable {
    package let key: MessageKey
    package let id: MessageID
    package let conversation: Conversation
    package let sender: Sender
    /// Whether the entry counts as unread for its recipients.
    package let countsUnread: Bool
    /// Whether the backend wants anyone to be woken for it.
    package let wantsPush: Bool
    /// Whether a push for it may be a silent wake, without a text.
    package let wantsWake: Bool
    package let sentAt: WallTime?
    /// When a push for it is of no use any more; nil: the tenant's `push_ttl`.
    package let expiresAt: WallTime?
    /// The `notification` object, JSON, empty if there was none.
    package let notification: [UInt8]
    /// The `payload`, JSON of any kind, empty if there was none.
    package let payload: [UInt8]

    package init(
        key: MessageKey, id: MessageID, conversation: Conversation, sender: Sender, countsUnread: Bool = true,
        wantsPush: Bool = true, sentAt: WallTime? = nil, expiresAt: WallTime? = nil,
        notification: [UInt8] = [],
        payload: [UInt8] = [], wantsWake: Bool = false
    ) {
        self.key = key
        self.id = id
        self.conversation = conversation
        self.sender = sender
        self.countsUnread = countsUnread
        self.wantsPush = wantsPush
        self.wantsWake = wantsWake
        self.sentAt = sentAt
        self.expiresAt = expiresAt
        self.notification = notification
        self.payload = payload
    }

    /// For those who keep it only to show it: a second message, unless the payload takes less room than that.
    var withoutLargePayload: Message { payload.count > Self.smallPayloadBytes ? withoutPayload : self }

    private static let smallPayloadBytes = 256

    /// For those who read it only to show it: without what may be large.
    package var withoutPayload: Message {
        guard !payload.isEmpty else { return self }
        return Message(
            key: key, id: id, conversation: conversation, sender: sender, countsUnread: countsUnread,
            wantsPush: wantsPush, sentAt: sentAt, expiresAt: expiresAt, notification: notification,
            wantsWake: wantsWake)
    }

    package struct Conversation: Hashable, Sendable {
        package enum Kind: UInt8, Sendable { case direct, group }

        package let id: ConversationID
        package let kind: Kind
        package let name: String?
        package let memberCount: Int
        package let isEndToEndEncrypted: Bool

        package init(
            id: ConversationID, kind: Kind, name: String? = nil, memberCount: Int = 2,
            isEndToEndEncrypted: Bool = false
        ) {
            self.id = id
            self.kind = kind
            self.name = name
            self.memberCount = memberCount
            self.isEndToEndEncrypted = isEndToEndEncrypted
        }
    }

    package struct Sender: Hashable, Sendable {
        package let user: UserID
        package let name: String?
        package let device: DeviceID?

        package init(user: UserID, name: String? = nil, device: DeviceID? = nil) {
            self.user = user
            self.name = name
            self.device = device
        }
    }
}

extension Message: Equatable {
    package static func == (left: Message, right: Message) -> Bool { left.key == right.key }
}

/// How a message names its recipient.
package enum Mention: UInt8, Sendable {
    case none, user, all
}
