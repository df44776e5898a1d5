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

    var draft: PushDraft {
        PushDraft(
            device: DeviceID(device),
            token: TokenDigest(
                key: TokenKey(5), transport: transport, environment: .production,
                registeredAt: WallTime(milliseconds: 1_000)),
            content: .alert(alert), badge: badge, badgeRevision: 130,
            expiresAt: WallTime(milliseconds: 1_900_000_000_000), locale: "en-GB")
    }

    var content: NotificationContent { NotificationContent(parsing: Array(notification.utf8)) }
    var collapseID: [UInt8] { Array(repeating: UInt8(ascii: "k"), count: 32) }

    func apns() -> JSONNode? {
        APNsPayload.body(draft, alert, content, collapseID: collapseID, phrases: .english).flatMap(Self.read)
    }

    func fcm(_ form: Policy.FCMForm) -> JSONNode? {
        FCMMessage.body(
            draft, alert, content, token: "fcm-token", form: form, collapseID: collapseID, phrases: .english,
            now: WallTime(milliseconds: 1_899_999_990_000)
        ).flatMap(Self.read)?["message"]
    }

    static func read(_ body: [UInt8]) -> JSONNode? { (try? JSONDocument(parsing: body))?.root }
}

extension JSONNode {
    subscript(path path: String...) -> JSONNode? {
        path.reduce(self as JSONNode?) { node, key in node?[key] }
    }

    var text: String { String(decoding: rawBytes, as: UTF8.self) }
}
