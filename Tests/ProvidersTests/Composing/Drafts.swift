import Domain
import Engine
import Wire

@testable import Providers

/// Drafts of one conversation, with what a test wants to be different.
struct Drafts {
    var kind = Message.Conversation.Kind.direct
    var name: String?
    var senderName: String? = "Alice"
    var isEndToEndEncrypted = false
    var notification = #"{"body":"See you at 8"}"#
    var mention = Mention.none
    var count: Int64 = 1
    var badge: Int64 = 3
    var transport = Transport.apns
    var key: Int64 = 7
    var messageID = "m-1"
    var device = "tablet"
    var locale: String? = "en-GB"
    var isTokenShared = false

    var alert: AlertDraft {
        let message = Message(
            key: MessageKey(key), id: MessageID(messageID),
            conversation: Message.Conversation(
                id: ConversationID("c-1"), kind: kind, name: name, isEndToEndEncrypted: isEndToEndEncrypted),
            sender: Message.Sender(user: UserID("alice"), name: senderName),
            notification: Array(notification.utf8))
        return AlertDraft(
            oldestMessage: message.id, message: message, mention: mention, mailboxSeq: 121, count: count,
            priority: .direct)
    }

    var draft: PushDraft { draft(.alert(alert)) }

    /// Any content for the device, a shared token included.
    func draft(_ content: PushDraft.Content) -> PushDraft {
        PushDraft(
            device: DeviceID(device), token: digest, content: content, badge: badge, badgeRevision: 130,
            expiresAt: Self.expiry, locale: locale,
            isTokenShared: isTokenShared)
    }

    var digest: TokenDigest {
        TokenDigest(
            key: TokenKey(5), transport: transport, environment: .production,
            registeredAt: WallTime(milliseconds: 1_000))
    }

    static let expiry = WallTime(milliseconds: 1_900_000_000_000)

    var content: NotificationContent { NotificationContent(parsing: Array(notification.utf8)) }

    private func shown(_ draft: PushDraft) -> ShownAlert? {
        draft.shown.map { ShownAlert($0, content, .of(locale: locale)) }
    }

    static func identity(_ draft: PushDraft) -> PushIdentity {
        let cleared = if case .cover(let cover) = draft.content { cover.clear } else { [ConversationID]() }
        return PushIdentity(
            collapseID: Array(repeating: UInt8(ascii: "k"), count: 32),
            cleared: cleared.map { Array(Base64URL.encode(SHA256.hash(Array($0.text.utf8))).utf8.prefix(32)) }
        )
    }

    func apnsBody(_ draft: PushDraft) -> [UInt8]? {
        APNsPayload.body(draft, shown(draft), Self.identity(draft))
    }

    func fcmBody(_ draft: PushDraft, _ form: Policy.FCMForm) -> [UInt8]? {
        let now = WallTime(milliseconds: Self.expiry.milliseconds - 10_000)
        return FCMMessage.body(
            draft, shown(draft), Self.identity(draft),
            for: FCMMessage.Target(token: "fcm-token", form: form, now: now))
    }

    func apns() -> JSONNode? { apns(.alert(alert)) }
    func apns(_ content: PushDraft.Content) -> JSONNode? { apnsBody(draft(content)).flatMap(Self.read) }

    func fcm(_ form: Policy.FCMForm) -> JSONNode? { fcm(.alert(alert), form) }
    func fcm(_ content: PushDraft.Content, _ form: Policy.FCMForm = .data) -> JSONNode? {
        var drafts = self
        drafts.transport = .fcm
        return fcmBody(drafts.draft(content), form).flatMap(Self.read)?["message"]
    }

    static func read(_ body: [UInt8]) -> JSONNode? { (try? JSONDocument(parsing: body))?.root }
}

extension JSONNode {
    subscript(path path: String...) -> JSONNode? {
        path.reduce(self as JSONNode?) { node, key in node?[key] }
    }

    var text: String { String(decoding: rawBytes, as: UTF8.self) }
}
