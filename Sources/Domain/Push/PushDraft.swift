/// A push as decided at the moment it is built: the badge is the fold of this moment. An object: it is large,
/// and handed on from place to place.
package final class PushDraft: Sendable {
    package let device: DeviceID
    package let token: TokenDigest
    package let content: Content
    /// `total_unread` now.
    package let badge: Int64
    /// Grows with the state, so that a client can drop what a provider delivers out of order.
    package let badgeRevision: Int64
    package let expiresAt: WallTime
    package let locale: String?
    /// Several accounts of one installation use the token: none of them may set the app's badge; the app adds
    /// up what each tells in `rouse.badge`.
    package let isTokenShared: Bool

    package enum Content: Equatable, Sendable {
        case alert(AlertDraft)
        /// An alert that only wakes the app, which fetches and decides by itself.
        case wake(AlertDraft)
        indirect case cover(CoverDraft)
        /// The number alone, in the cover's form under a collapse id of its own.
        case badge
        indirect case call(CallDraft)
        indirect case callCancelled(CallEndDraft)
    }

    /// - Precondition: a token of this transport may carry such content (`Transport.carries`): nothing but a
    ///   call goes to a VoIP token, and a call never to APNs' alert token. An offence is a defect of
    ///   ours that would cost the app its calls, so it traps.
    package init(
        device: DeviceID, token: TokenDigest, content: Content, badge: Int64, badgeRevision: Int64,
        expiresAt: WallTime, locale: String?, isTokenShared: Bool = false
    ) {
        self.device = device
        self.token = token
        self.content = content
        self.badge = badge
        self.badgeRevision = badgeRevision
        self.expiresAt = expiresAt
        self.locale = locale
        self.isTokenShared = isTokenShared
        precondition(token.transport.carries(kind), "\(kind.word) for a token of \(token.transport.word)")
    }

    package var kind: PushKind {
        switch content {
        case .alert: .alert
        case .wake: .wake
        case .cover: .cover
        case .badge: .badge
        case .call: .call
        case .callCancelled: .callCancelled
        }
    }

    /// Calls go with the first, what only tidies up with the last.
    package var priority: PushPriority {
        switch content {
        case .alert(let alert), .wake(let alert): alert.priority
        case .call, .callCancelled: .mention
        case .cover, .badge: .largeGroup
        }
    }

    /// Of which call it tells; nil: of none.
    package var callID: CallID? {
        switch content {
        case .call(let call): call.callID
        case .callCancelled(let end): end.callID
        case .alert, .wake, .cover, .badge: nil
        }
    }

    /// Whose words are on the screen, or would be: the alert, or what a cover renders anew.
    package var shown: AlertDraft? {
        if case .cover(let cover) = content { cover.rendered } else { alert }
    }

    /// What an alert or a silent wake tells of; nil for all else.
    package var alert: AlertDraft? {
        switch content {
        case .alert(let alert), .wake(let alert): alert
        case .cover, .badge, .call, .callCancelled: nil
        }
    }
}

extension PushDraft: Equatable {
    package static func == (left: PushDraft, right: PushDraft) -> Bool {
        left.device == right.device && left.token == right.token && left.content == right.content
            && left.badge == right.badge && left.badgeRevision == right.badgeRevision
            && left.expiresAt == right.expiresAt && left.locale == right.locale
            && left.isTokenShared == right.isTokenShared
    }
}

/// The group of messages that an alert stands for.
package struct AlertDraft: Equatable, Sendable {
    /// Names the `apns-id`: retries and replays of the group keep it.
    package let oldestMessage: MessageID
    /// The message whose text is shown: the newest mention, else the newest.
    package let message: Message
    package let mention: Mention
    /// The newest seq of the group.
    package let mailboxSeq: MailboxSeq
    /// N: the larger of the group's size and the conversation's unread.
    package let count: Int64
    package let priority: PushPriority

    package init(
        oldestMessage: MessageID, message: Message, mention: Mention, mailboxSeq: MailboxSeq, count: Int64,
        priority: PushPriority
    ) {
        self.oldestMessage = oldestMessage
        self.message = message
        self.mention = mention
        self.mailboxSeq = mailboxSeq
        self.count = count
        self.priority = priority
    }
}

/// What a device that was notified must take off its screen.
///
/// State, not event: the newest says all that the older ones said.
package struct CoverDraft: Equatable, Sendable {
    /// Ids that find room in one payload beside everything else; of more the newest are sent.
    package static let maximumCleared = 64

    /// Under whose collapse id it goes.
    package let conversation: ConversationID
    /// Banners to remove, oldest first; with `conversation` unless that is rendered anew. Of more than
    /// `maximumCleared` the last ones are sent.
    package let clear: [ConversationID]
    /// Names the `apns-id`, together with the badge revision.
    package let oldestMessage: MessageID
    /// What stays unread in `conversation`: shown again, passive and silent.
    package let rendered: AlertDraft?
    /// Another conversation has an uncovered alert on the device: APNs stores one push for each app, and a
    /// stored cover would push that alert out of its place.
    package let mayExpireAtOnce: Bool

    package init(
        conversation: ConversationID, clear: [ConversationID], oldestMessage: MessageID,
        rendered: AlertDraft? = nil, mayExpireAtOnce: Bool = false
    ) {
        self.conversation = conversation
        self.clear = clear
        self.oldestMessage = oldestMessage
        self.rendered = rendered
        self.mayExpireAtOnce = mayExpireAtOnce
    }
}

/// A call that rings, as its backend told it.
package struct CallDraft: Equatable, Sendable {
    package let callID: CallID
    package let callerUser: UserID
    package let callerName: String?
    package let isVideo: Bool
    package let conversation: ConversationID?
    /// A JSON object, verbatim, or empty.
    package let data: [UInt8]
    /// When the call stops ringing.
    package let expiresAt: WallTime

    package init(
        callID: CallID, callerUser: UserID, callerName: String? = nil, isVideo: Bool = false,
        conversation: ConversationID? = nil, data: [UInt8] = [], expiresAt: WallTime
    ) {
        self.callID = callID
        self.callerUser = callerUser
        self.callerName = callerName
        self.isVideo = isVideo
        self.conversation = conversation
        self.data = data
        self.expiresAt = expiresAt
    }
}

/// A call that a push made a device ring for, and that is over.
package struct CallEndDraft: Equatable, Sendable {
    package let callID: CallID
    /// As CALL_CANCELLED has it.
    package let reason: String

    package init(callID: CallID, reason: String) {
        self.callID = callID
        self.reason = reason
    }
}
