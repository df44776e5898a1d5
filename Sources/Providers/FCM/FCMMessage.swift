package import Domain
import Wire

/// The JSON body of an FCM `messages:send` request.
package enum FCMMessage {
    /// Google's limit for keys and values together. Those of `data` are counted as they are, a notification
    /// as it is spelled, which is never less.
    package static let maximumByteCount = 4_096

    /// What a body is made for beside the draft.
    package struct Target {
        package let token: String
        package let form: Policy.FCMForm
        package let now: WallTime

        package init(token: String, form: Policy.FCMForm, now: WallTime) {
            self.token = token
            self.form = form
            self.now = now
        }
    }

    /// The body for a draft, within Google's limit; `shown` is what it shows, if anything.
    ///
    /// Only an alert in the tenant's notification form is drawn by the system. All else is data-only: what
    /// rings nobody with priority NORMAL, a call and its end with HIGH. An end-to-end-encrypted
    /// message is data-only whatever the form: an Android app can rewrite only what it draws itself.
    /// Nil if it cannot be made to fit, which takes ids beyond the interface's limits.
    package static func body(
        _ draft: PushDraft, _ shown: ShownAlert?, _ identity: PushIdentity, for target: Target
    ) -> [UInt8]? {
        if case .call(let call) = draft.content { return ring(call, draft, target) }
        if case .callCancelled(let end) = draft.content { return stopRinging(end, draft, target) }
        guard var shown else { return quiet(draft, identity, target).bytes }
        let measure: EncodedText.Measure = isSystemDrawn(draft, target) ? .spelled : .plain
        while true {
            let (bytes, size) = spell(shown, draft, identity, target)
            if size <= maximumByteCount { return bytes }
            guard let shorter = shown.shortened(by: size - maximumByteCount, measure) else { return nil }
            shown = shorter
        }
    }

    private static func isSystemDrawn(_ draft: PushDraft, _ target: Target) -> Bool {
        guard case .alert(let alert) = draft.content, target.form == .notification else { return false }
        return !alert.message.conversation.isEndToEndEncrypted
    }

    /// A body and what FCM counts of it.
    private typealias Spelled = (bytes: [UInt8], size: Int)

    private static func spell(
        _ shown: ShownAlert, _ draft: PushDraft, _ identity: PushIdentity, _ target: Target
    ) -> Spelled {
        if draft.kind == .wake { return wake(shown, draft, identity, target) }
        return isSystemDrawn(draft, target)
            ? systemDrawn(shown, draft, identity, target) : appDrawn(shown, draft, identity, target)
    }

    private static func systemDrawn(
        _ shown: ShownAlert, _ draft: PushDraft, _ identity: PushIdentity, _ target: Target
    ) -> Spelled {
        var data = begin(target, capacity: 1_024 + shown.content.peers.text.count)
        data.append(draft, draft.shown, imageURL: shown.content.imageURL)
        data.append(tag: identity)
        data.append(shown.content.peers)
        return end(data, draft, target) { FCMNotification.append(shown, draft, identity, to: &$0) }
    }

    private static func appDrawn(
        _ shown: ShownAlert, _ draft: PushDraft, _ identity: PushIdentity, _ target: Target
    ) -> Spelled {
        var data = begin(target, capacity: 768 + shown.content.peers.text.count)
        data.append(draft, draft.shown, imageURL: shown.content.imageURL)
        data.append(tag: identity)
        data.append(shown.text)
        if draft.kind == .cover {
            data.member("rouse_interruption_level", "passive")
        } else {
            data.member("rouse_sound", ifPresent: shown.content.sound)
        }
        data.member("rouse_category", ifPresent: shown.content.category)
        data.append(shown.content.peers)
        return end(data, draft, target)
    }

    private static func wake(
        _ shown: ShownAlert, _ draft: PushDraft, _ identity: PushIdentity, _ target: Target
    ) -> Spelled {
        var data = begin(target, capacity: 512 + shown.content.peers.text.count)
        data.append(draft, draft.shown, imageURL: shown.content.imageURL)
        data.append(tag: identity)
        data.append(shown.content.peers)
        return end(data, draft, target)
    }

    /// A cover that leaves nothing to show, or the number alone. Always fits: ids to clear are bounded.
    private static func quiet(
        _ draft: PushDraft, _ identity: PushIdentity, _ target: Target
    ) -> Spelled {
        var data = begin(target, capacity: 256 + 36 * identity.cleared.count)
        data.append(draft, nil, imageURL: nil)
        data.append(tag: identity)
        return end(data, draft, target)
    }

    /// A caller's name is cut, and data that passes the limit by itself left out: the phone must ring.
    private static func ring(_ call: CallDraft, _ draft: PushDraft, _ target: Target) -> [UInt8]? {
        var name = call.callerName
        var peers = Peers(parsing: call.data)
        while true {
            var data = begin(target, capacity: 512 + peers.text.count)
            data.append(call, callerName: name)
            data.append(peers)
            let (bytes, size) = end(data, draft, target)
            if size <= maximumByteCount { return bytes }
            let excess = size - maximumByteCount
            if let shorter = name.flatMap({ EncodedText.shortened($0, by: excess, .plain) }) {
                name = shorter
            } else if !peers.isEmpty {
                peers = Peers()
                name = call.callerName
            } else {
                return nil
            }
        }
    }

    /// Always fits: an id and the backend's word are bounded.
    private static func stopRinging(
        _ call: CallEndDraft, _ draft: PushDraft, _ target: Target
    ) -> [UInt8] {
        var data = begin(target, capacity: 256)
        data.append(call)
        return end(data, draft, target).bytes
    }

    /// The message up to its `data`.
    private static func begin(_ target: Target, capacity: Int) -> FCMData {
        var writer = JSONWriter(capacity: capacity + 128 + target.token.utf8.count)
        writer.beginObject()
        writer.key("message")
        writer.beginObject()
        writer.member("token", target.token)
        writer.key("data")
        return FCMData(into: writer)
    }

    /// All that stands behind the `data`.
    private static func end(
        _ data: consuming FCMData, _ draft: PushDraft, _ target: Target,
        notification: ((inout JSONWriter) -> Void)? = nil
    ) -> Spelled {
        var size = data.byteCount
        var writer = data.finish()
        writer.key("android")
        writer.beginObject()
        writer.member("priority", priority(draft))
        writer.member("ttl", "\(secondsToLive(draft, target.now))s")
        if let notification {
            writer.key("notification")
            let start = writer.bytes.count
            notification(&writer)
            size += writer.bytes.count - start
        }
        writer.endObject()
        writer.endObject()
        writer.endObject()
        return (writer.bytes, size)
    }

    private static func priority(_ draft: PushDraft) -> String {
        switch draft.content {
        case .alert, .call, .callCancelled: "HIGH"
        case .wake, .cover, .badge: "NORMAL"
        }
    }

    private static let maximumSecondsToLive: Int64 = 2_419_200

    private static func secondsToLive(_ draft: PushDraft, _ now: WallTime) -> Int64 {
        let expiry = if case .call(let call) = draft.content { call.expiresAt } else { draft.expiresAt }
        return min(maximumSecondsToLive, max(0, (expiry - now) / 1_000))
    }
}
