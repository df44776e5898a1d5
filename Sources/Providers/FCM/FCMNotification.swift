import Domain
import Wire

/// The `android.notification` of an FCM message, which the system draws by itself.
enum FCMNotification {
    static func append(
        _ shown: ShownAlert, _ draft: PushDraft, _ identity: PushIdentity, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        append(shown.text, to: &writer)
        writer.key("tag")
        writer.string(plain: identity.collapseID)
        // 0 would mean "increment by one".
        if draft.badge > 0 && !draft.isTokenShared {
            writer.member("notification_count", min(draft.badge, Int64(Int32.max)))
        }
        let sound = shown.content.sound ?? "default"
        if !sound.isEmpty { writer.member("sound", sound) }
        writer.member("channel_id", ifPresent: shown.content.category)
        writer.member("image", ifPresent: shown.content.imageURL)
        writer.endObject()
    }

    /// Android has no place for a subtitle; the number is in `rouse_count`.
    private static func append(_ text: AlertText, to writer: inout JSONWriter) {
        if let key = text.titleKey {
            writer.member("title_loc_key", key.key)
            if !key.arguments.isEmpty { writer.member("title_loc_args", raw: key.arguments) }
        } else {
            writer.member("title", ifPresent: text.title)
        }
        if let key = text.bodyKey {
            writer.member("body_loc_key", key.key)
            if !key.arguments.isEmpty { writer.member("body_loc_args", raw: key.arguments) }
        } else {
            writer.member("body", ifPresent: text.body)
        }
    }
}
