package import Domain
import Wire

/// The JSON body of an APNs request.
package enum APNsPayload {
    /// The body for a draft, within Apple's limit; `shown` is what it shows, if anything.
    ///
    /// Nil if it cannot be made to fit, which takes ids beyond the interface's limits.
    package static func body(_ draft: PushDraft, _ shown: ShownAlert?, _ identity: PushIdentity) -> [UInt8]? {
        if case .call(let call) = draft.content { return VoIPPayload.body(call) }
        guard var shown else { return spellQuiet(draft, identity) }
        let limit = APNsForm(draft).maximumByteCount
        while true {
            let body = spell(shown, draft, identity)
            if body.count <= limit { return body }
            guard let shorter = shown.shortened(by: body.count - limit) else { return nil }
            shown = shorter
        }
    }

    private static func spell(_ shown: ShownAlert, _ draft: PushDraft, _ identity: PushIdentity) -> [UInt8] {
        switch draft.kind {
        case .wake: spellWake(shown, draft)
        case .cover: spellCover(shown, draft, identity)
        // The others show nothing.
        case .alert, .badge, .call, .callCancelled: spellAlert(shown, draft, identity)
        }
    }

    private static func spellAlert(
        _ shown: ShownAlert, _ draft: PushDraft, _ identity: PushIdentity
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: 640 + shown.content.peers.verbatim.count)
        writer.beginObject()
        writer.key("aps")
        writer.beginObject()
        append(shown.text, to: &writer)
        // An alert never carries badge 0: it would clear what is still shown on the device.
        if draft.badge > 0 && !draft.isTokenShared { writer.member("badge", draft.badge) }
        let sound = shown.content.sound ?? "default"
        if !sound.isEmpty { writer.member("sound", sound) }
        appendPlace(shown, identity, to: &writer)
        writer.endObject()
        appendRest(shown, draft, to: &writer)
        return writer.bytes
    }

    /// What stays unread is shown again, without a sound and without lighting the screen up.
    private static func spellCover(
        _ shown: ShownAlert, _ draft: PushDraft, _ identity: PushIdentity
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: 1_024 + shown.content.peers.verbatim.count)
        writer.beginObject()
        writer.key("aps")
        writer.beginObject()
        append(shown.text, to: &writer)
        if !draft.isTokenShared { writer.member("badge", draft.badge) }
        writer.member("interruption-level", "passive")
        appendPlace(shown, identity, to: &writer)
        writer.member("content-available", 1)
        writer.endObject()
        appendRest(shown, draft, clear: identity.cleared, to: &writer)
        return writer.bytes
    }

    private static func spellWake(_ shown: ShownAlert, _ draft: PushDraft) -> [UInt8] {
        var writer = JSONWriter(capacity: 512 + shown.content.peers.verbatim.count)
        writer.beginObject()
        writer.member("aps", raw: onlyAvailable)
        appendRest(shown, draft, to: &writer)
        return writer.bytes
    }

    /// A cover that leaves nothing to show, or the number alone. Always fits: ids to clear are bounded.
    private static func spellQuiet(_ draft: PushDraft, _ identity: PushIdentity) -> [UInt8] {
        var writer = JSONWriter(capacity: 256 + 36 * identity.cleared.count)
        writer.beginObject()
        writer.key("aps")
        if draft.isTokenShared {
            writer.raw(onlyAvailable)
        } else {
            writer.beginObject()
            writer.member("badge", draft.badge)
            writer.member("content-available", 1)
            writer.endObject()
        }
        RouseObject.append(draft, nil, clear: identity.cleared, to: &writer)
        writer.endObject()
        return writer.bytes
    }

    private static let onlyAvailable = Array(#"{"content-available":1}"#.utf8)

    private static func appendPlace(
        _ shown: ShownAlert, _ identity: PushIdentity, to writer: inout JSONWriter
    ) {
        writer.key("thread-id")
        writer.string(plain: identity.collapseID)
        writer.member("category", ifPresent: shown.content.category)
        writer.member("mutable-content", 1)
    }

    /// All that stands beside `aps`, and the end.
    private static func appendRest(
        _ shown: ShownAlert, _ draft: PushDraft, clear: [[UInt8]] = [], to writer: inout JSONWriter
    ) {
        RouseObject.append(
            draft, draft.shown, imageURL: shown.content.imageURL, clear: clear, to: &writer)
        if !shown.content.peers.verbatim.isEmpty { writer.raw(shown.content.peers.verbatim) }
        writer.endObject()
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
}

/// The JSON body of a VoIP push.
enum VoIPPayload {
    /// The body for a call; a caller's name is cut, and data that passes the limit by itself left out: the
    /// phone must ring.
    static func body(_ call: CallDraft) -> [UInt8]? {
        let limit = APNsForm.voip.maximumByteCount
        var name = call.callerName
        var peers = Peers(parsing: call.data)
        while true {
            let body = spell(call, name, peers)
            if body.count <= limit { return body }
            if let shorter = name.flatMap({ EncodedText.shortened($0, by: body.count - limit) }) {
                name = shorter
            } else if !peers.isEmpty {
                peers = Peers()
                name = call.callerName
            } else {
                return nil
            }
        }
    }

    private static func spell(_ call: CallDraft, _ name: String?, _ peers: Peers) -> [UInt8] {
        var writer = JSONWriter(capacity: 512 + peers.verbatim.count)
        writer.beginObject()
        writer.member("aps", raw: Array("{}".utf8))
        RouseObject.append(call, callerName: name, to: &writer)
        if !peers.verbatim.isEmpty { writer.raw(peers.verbatim) }
        writer.endObject()
        return writer.bytes
    }
}
