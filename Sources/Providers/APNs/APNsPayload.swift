package import Domain
import Wire

/// The JSON body of an APNs request.
package enum APNsPayload {
    /// Apple's limit for everything but VoIP, in bytes of UTF-8.
    package static let maximumByteCount = 4_096

    /// The body for a draft; nil if it is too large even without text (its `data` alone passes the limit).
    package static func body(
        _ draft: PushDraft, _ alert: AlertDraft, _ content: NotificationContent, collapseID: [UInt8],
        phrases: Phrases
    ) -> [UInt8]? {
        var text = AlertText(alert, content, phrases)
        while true {
            let body = spell(draft, alert, content, text, collapseID: collapseID)
            if body.count <= maximumByteCount { return body }
            guard text.shorten(by: body.count - maximumByteCount) else { return nil }
        }
    }

    private static func spell(
        _ draft: PushDraft, _ alert: AlertDraft, _ content: NotificationContent, _ text: AlertText,
        collapseID: [UInt8]
    ) -> [UInt8] {
        let tellsContent = !alert.message.conversation.isEndToEndEncrypted
        var writer = JSONWriter(capacity: 640 + content.peers.count)
        writer.beginObject()
        writer.key("aps")
        writer.beginObject()
        append(text, to: &writer)
        // An alert never carries badge 0: it would clear what is still shown on the device.
        if draft.badge > 0 { writer.member("badge", draft.badge) }
        let sound = tellsContent ? content.sound ?? "default" : "default"
        if !sound.isEmpty { writer.member("sound", sound) }
        writer.key("thread-id")
        append(collapseID: collapseID, to: &writer)
        if tellsContent { writer.member("category", ifPresent: content.category) }
        writer.member("mutable-content", 1)
        writer.endObject()
        RouseObject.append(draft, alert, imageURL: content.imageURL, to: &writer)
        if tellsContent && !content.peers.isEmpty { writer.raw(content.peers) }
        writer.endObject()
        return writer.bytes
    }

    private static func append(_ text: AlertText, to writer: inout JSONWriter) {
        writer.key("alert")
        writer.beginObject()
        if let key = text.titleKey {
            writer.member("title-loc-key", key.key)
            if !key.arguments.isEmpty { writer.member("title-loc-args", raw: key.arguments) }
        } else {
            writer.member("title", ifPresent: text.title)
        }
        writer.member("subtitle", ifPresent: text.subtitle)
        if let key = text.bodyKey {
            writer.member("loc-key", key.key)
            if !key.arguments.isEmpty { writer.member("loc-args", raw: key.arguments) }
        } else {
            writer.member("body", ifPresent: text.body)
        }
        writer.endObject()
    }

    /// Base64url needs no escape.
    private static func append(collapseID: [UInt8], to writer: inout JSONWriter) {
        var quoted: [UInt8] = [0x22]
        quoted.append(contentsOf: collapseID)
        quoted.append(0x22)
        writer.raw(quoted)
    }
}
