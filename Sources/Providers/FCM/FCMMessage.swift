package import Domain
import Wire

/// The JSON body of an FCM `messages:send` request.
package enum FCMMessage {
    /// Google's limit for keys and values together; ours is counted over
    /// the spelled JSON without the token, which is never less.
    package static let maximumByteCount = 4_096
    private static let maximumTTLSeconds: Int64 = 2_419_200

    /// The body for a draft; nil if it is too large even without text.
    ///
    /// An end-to-end-encrypted message is data-only whatever the tenant's
    /// form: an Android app can rewrite only what it draws itself.
    package static func body(
        _ draft: PushDraft, _ alert: AlertDraft, _ content: NotificationContent, token: String,
        form: Policy.FCMForm,
        collapseID: [UInt8], phrases: Phrases, now: WallTime
    ) -> [UInt8]? {
        let tag = String(decoding: collapseID, as: UTF8.self)
        let appDraws = form == .data || alert.message.conversation.isEndToEndEncrypted
        var text = AlertText(alert, content, phrases)
        let limit = maximumByteCount + token.utf8.count
        while true {
            var writer = JSONWriter(capacity: 768 + content.textPeers.count)
            begin(token: token, to: &writer)
            appendData(draft, alert, content, appDraws ? text : nil, tag: tag, to: &writer)
            appendAndroid(draft, content, appDraws ? nil : text, tag: tag, now: now, to: &writer)
            end(&writer)
            if writer.bytes.count <= limit { return writer.bytes }
            guard text.shorten(by: writer.bytes.count - limit) else { return nil }
        }
    }

    private static func begin(token: String, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("message")
        writer.beginObject()
        writer.member("token", token)
    }

    private static func end(_ writer: inout JSONWriter) {
        writer.endObject()
        writer.endObject()
    }

    private static func appendData(
        _ draft: PushDraft, _ alert: AlertDraft, _ content: NotificationContent, _ text: AlertText?,
        tag: String, to writer: inout JSONWriter
    ) {
        let tellsContent = !alert.message.conversation.isEndToEndEncrypted
        writer.key("data")
        writer.beginObject()
        RouseObject.appendText(draft, alert, imageURL: content.imageURL, to: &writer)
        writer.member("rouse_tag", tag)
        if let text {
            appendText(text, to: &writer)
            if tellsContent {
                writer.member("rouse_sound", ifPresent: content.sound)
                writer.member("rouse_category", ifPresent: content.category)
            }
        }
        if tellsContent && !content.textPeers.isEmpty { writer.raw(content.textPeers) }
        writer.endObject()
    }

    private static func appendText(_ text: AlertText, to writer: inout JSONWriter) {
        writer.member("rouse_title", ifPresent: text.title)
        writer.member("rouse_subtitle", ifPresent: text.subtitle)
        writer.member("rouse_body", ifPresent: text.body)
        if let key = text.titleKey {
            writer.member("rouse_title_loc_key", key.key)
            writer.member("rouse_title_loc_args", String(decoding: key.arguments, as: UTF8.self))
        }
        if let key = text.bodyKey {
            writer.member("rouse_body_loc_key", key.key)
            writer.member("rouse_body_loc_args", String(decoding: key.arguments, as: UTF8.self))
        }
    }

    private static func appendAndroid(
        _ draft: PushDraft, _ content: NotificationContent, _ text: AlertText?, tag: String, now: WallTime,
        to writer: inout JSONWriter
    ) {
        let seconds = min(maximumTTLSeconds, max(0, (draft.expiresAt - now) / 1_000))
        writer.key("android")
        writer.beginObject()
        writer.member("priority", "HIGH")
        writer.member("ttl", "\(seconds)s")
        if let text { appendNotification(draft, content, text, tag: tag, to: &writer) }
        writer.endObject()
    }

    private static func appendNotification(
        _ draft: PushDraft, _ content: NotificationContent, _ text: AlertText, tag: String,
        to writer: inout JSONWriter
    ) {
        writer.key("notification")
        writer.beginObject()
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
        writer.member("tag", tag)
        // 0 would mean "increment by one".
        if draft.badge > 0 { writer.member("notification_count", min(draft.badge, Int64(Int32.max))) }
        let sound = content.sound ?? "default"
        if !sound.isEmpty { writer.member("sound", sound) }
        writer.member("channel_id", ifPresent: content.category)
        writer.member("image", ifPresent: content.imageURL)
        writer.endObject()
    }
}
