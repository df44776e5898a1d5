import Domain
import Wire

/// The `rouse` object of APNs: what the app needs to find its way.
///
/// FCM's spelling of the same words is `FCMData`. Of an end-to-end-encrypted
/// message only the place in the mailbox is told.
enum RouseObject {
    /// The reason a client may show or filter by.
    static func reason(_ mention: Mention) -> String { mention == .none ? "chat-message" : "chat-mention" }

    /// `"rouse": {…}` of everything but a call.
    static func append(
        _ draft: PushDraft, _ alert: AlertDraft?, imageURL: String? = nil, clear: [[UInt8]] = [],
        to writer: inout JSONWriter
    ) {
        writer.key("rouse")
        writer.beginObject()
        writer.member("kind", draft.kind.word)
        let told = alert.flatMap { $0.message.conversation.isEndToEndEncrypted ? nil : $0 }
        if let told {
            writer.member("conversation_id", told.message.conversation.id.text)
            writer.member("message_id", told.message.id.text)
        }
        if let alert { writer.member("mailbox_seq", alert.mailboxSeq) }
        if let told { writer.member("count", told.count) }
        writer.member("badge", draft.badge)
        writer.member("badge_revision", draft.badgeRevision)
        if !clear.isEmpty { append(clear: clear, to: &writer) }
        if let told {
            writer.member("reason", reason(told.mention))
            writer.member("image_url", ifPresent: imageURL)
        }
        writer.endObject()
    }

    private static func append(clear: [[UInt8]], to writer: inout JSONWriter) {
        writer.key("clear")
        writer.beginArray()
        for collapseID in clear { writer.string(plain: collapseID) }
        writer.endArray()
    }

    /// `"rouse": {…}` of a call.
    static func append(_ call: CallDraft, callerName: String?, to writer: inout JSONWriter) {
        writer.key("rouse")
        writer.beginObject()
        writer.member("kind", PushKind.call.word)
        writer.member("call_id", call.callID.text)
        writer.key("caller")
        writer.beginObject()
        writer.member("user", call.callerUser.text)
        writer.member("name", ifPresent: callerName)
        writer.endObject()
        writer.member("video", call.isVideo)
        writer.member("conversation_id", ifPresent: call.conversation?.text)
        writer.member("expires_at", Timestamp.text(millisecondsSince1970: call.expiresAt.milliseconds))
        writer.endObject()
    }
}
