import Domain
import Wire

/// The `data` of an FCM message: strings only, our own keys behind `rouse_`.
struct FCMData {
    private var writer: JSONWriter
    /// Keys and values as FCM counts them: without quotes and escapes.
    private(set) var byteCount = 0

    /// Writes on where an object may stand.
    init(into writer: consuming JSONWriter) {
        self.writer = writer
        self.writer.beginObject()
    }

    mutating func member(_ key: StaticString, _ value: String) {
        writer.member(key, value)
        byteCount += key.utf8CodeUnitCount + value.utf8.count
    }

    mutating func member(_ key: StaticString, ifPresent value: String?) {
        if let value { member(key, value) }
    }

    mutating func append(_ peers: Peers) {
        guard !peers.text.isEmpty else { return }
        writer.raw(peers.text)
        byteCount += peers.textByteCount
    }

    /// Ends the object and hands the writer back.
    consuming func finish() -> JSONWriter {
        writer.endObject()
        return writer
    }
}

/// The words of the `rouse` object, flattened. Of an end-to-end-encrypted message
/// only the place in the mailbox is told.
extension FCMData {
    mutating func append(_ draft: PushDraft, _ alert: AlertDraft?, imageURL: String?) {
        member("rouse_kind", draft.kind.word)
        let told = alert.flatMap { $0.message.conversation.isEndToEndEncrypted ? nil : $0 }
        if let told {
            member("rouse_conversation_id", told.message.conversation.id.text)
            member("rouse_message_id", told.message.id.text)
        }
        if let alert { member("rouse_mailbox_seq", String(alert.mailboxSeq)) }
        if let told { member("rouse_count", String(told.count)) }
        member("rouse_badge", String(draft.badge))
        member("rouse_badge_revision", String(draft.badgeRevision))
        if let told {
            member("rouse_reason", RouseObject.reason(told.mention))
            member("rouse_image_url", ifPresent: imageURL)
        }
    }

    /// Under which tag the app shows this, or takes it away, and which others it takes away, with commas
    /// between them.
    mutating func append(tag identity: PushIdentity) {
        member("rouse_tag", String(decoding: identity.collapseID, as: UTF8.self))
        guard !identity.cleared.isEmpty else { return }
        member(
            "rouse_clear", String(decoding: Array(identity.cleared.joined(separator: [0x2C])), as: UTF8.self))
    }

    /// The words for an app that draws by itself.
    mutating func append(_ text: AlertText) {
        member("rouse_title", ifPresent: text.title)
        member("rouse_subtitle", ifPresent: text.subtitle)
        member("rouse_body", ifPresent: text.body)
        if let key = text.titleKey {
            member("rouse_title_loc_key", key.key)
            if !key.arguments.isEmpty {
                member("rouse_title_loc_args", String(decoding: key.arguments, as: UTF8.self))
            }
        }
        if let key = text.bodyKey {
            member("rouse_body_loc_key", key.key)
            if !key.arguments.isEmpty {
                member("rouse_body_loc_args", String(decoding: key.arguments, as: UTF8.self))
            }
        }
    }

    mutating func append(_ call: CallDraft, callerName: String?) {
        member("rouse_kind", PushKind.call.word)
        member("rouse_call_id", call.callID.text)
        member("rouse_caller_user", call.callerUser.text)
        member("rouse_caller_name", ifPresent: callerName)
        member("rouse_video", call.isVideo ? "true" : "false")
        member("rouse_conversation_id", ifPresent: call.conversation?.text)
        member("rouse_expires_at", Timestamp.text(millisecondsSince1970: call.expiresAt.milliseconds))
    }

    mutating func append(_ end: CallEndDraft) {
        member("rouse_kind", PushKind.callCancelled.word)
        member("rouse_call_id", end.callID.text)
        member("rouse_reason", end.reason)
    }
}
