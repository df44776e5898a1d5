/// Hand-over order: what wakes first when more is due than can be sent.
package enum PushPriority: UInt8, Comparable, Sendable {
    case mention = 0
    case direct = 1
    case smallGroup = 2
    case largeGroup = 3

    package init(_ message: Message, _ mention: Mention, largeGroupMembers: Int) {
        if mention != .none {
            self = .mention
        } else if message.conversation.kind == .direct {
            self = .direct
        } else {
            self = message.conversation.memberCount >= largeGroupMembers ? .largeGroup : .smallGroup
        }
    }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// What a push is: the word `rouse.kind` of the payload, and part of the `apns-id`.
package enum PushKind: UInt8, Sendable {
    case alert = 0

    package var word: String {
        switch self {
        case .alert: "alert"
        }
    }
}

/// A push as decided at the moment it is built: the badge is the fold of this moment.
package struct PushDraft: Equatable, Sendable {
    package let kind: PushKind
    package let device: DeviceID
    package let token: TokenDigest
    /// Names the `apns-id`: retries and replays of the group keep it.
    package let oldestMessage: MessageID
    /// The message whose text is shown: the newest mention, else the newest.
    package let message: Message
    package let mention: Mention
    /// The newest seq of the group.
    package let mailboxSeq: MailboxSeq
    /// N: the larger of the group's size and the conversation's unread.
    package let count: Int64
    package let badge: Int64
    /// Grows with the state, so that a client can drop what a provider delivers out of order.
    package let badgeRevision: Int64
    package let priority: PushPriority
    package let expiresAt: WallTime
    package let locale: String?

    /// A draft that no user's state made: what measures the senders alone needs one.
    package init(
        kind: PushKind, device: DeviceID, token: TokenDigest, oldestMessage: MessageID, message: Message,
        mention: Mention, mailboxSeq: MailboxSeq, count: Int64, badge: Int64, badgeRevision: Int64,
        priority: PushPriority, expiresAt: WallTime, locale: String?
    ) {
        self.kind = kind
        self.device = device
        self.token = token
        self.oldestMessage = oldestMessage
        self.message = message
        self.mention = mention
        self.mailboxSeq = mailboxSeq
        self.count = count
        self.badge = badge
        self.badgeRevision = badgeRevision
        self.priority = priority
        self.expiresAt = expiresAt
        self.locale = locale
    }
}
