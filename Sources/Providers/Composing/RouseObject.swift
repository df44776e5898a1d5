import Domain
import Wire

/// The `rouse` part of a payload: what the app needs to find its way, in the two spellings of the providers.
enum RouseObject {
    /// The reason a client may show or filter by.
    static func reason(_ mention: Mention) -> String { mention == .none ? "chat-message" : "chat-mention" }

    /// `"rouse": {…}` of APNs.
    static func append(
        _ draft: PushDraft, _ alert: AlertDraft, imageURL: String?, to writer: inout JSONWriter
    ) {
        writer.key("rouse")
        writer.beginObject()
        writer.member("kind", draft.kind.word)
        if !alert.message.conversation.isEndToEndEncrypted {
            writer.member("conversation_id", alert.message.conversation.id.text)
            writer.member("message_id", alert.message.id.text)
        }
        writer.member("mailbox_seq", alert.mailboxSeq)
        if !alert.message.conversation.isEndToEndEncrypted { writer.member("count", alert.count) }
        writer.member("badge", draft.badge)
        writer.member("badge_revision", draft.badgeRevision)
        if !alert.message.conversation.isEndToEndEncrypted {
            writer.member("reason", reason(alert.mention))
            writer.member("image_url", ifPresent: imageURL)
        }
        writer.endObject()
    }

    /// The members of FCM's `data`: the same words behind `rouse_`, all of them strings.
    static func appendText(
        _ draft: PushDraft, _ alert: AlertDraft, imageURL: String?, to writer: inout JSONWriter
    ) {
        writer.member("rouse_kind", draft.kind.word)
        if !alert.message.conversation.isEndToEndEncrypted {
            writer.member("rouse_conversation_id", alert.message.conversation.id.text)
            writer.member("rouse_message_id", alert.message.id.text)
        }
        writer.member("rouse_mailbox_seq", String(alert.mailboxSeq))
        if !alert.message.conversation.isEndToEndEncrypted {
            writer.member("rouse_count", String(alert.count))
        }
        writer.member("rouse_badge", String(draft.badge))
        writer.member("rouse_badge_revision", String(draft.badgeRevision))
        if !alert.message.conversation.isEndToEndEncrypted {
            writer.member("rouse_reason", reason(alert.mention))
            writer.member("rouse_image_url", ifPresent: imageURL)
        }
    }
}
