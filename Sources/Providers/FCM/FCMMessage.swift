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

    /// The body for a draft, within Google's limit; `content` is that of the message it shows, if any.
    ///
    /// Only an alert in the tenant's notification form is drawn by the system. All else is data-only: what
    /// rings nobody with priority NORMAL, a call with HIGH. An end-to-end-encrypted
    /// message is data-only whatever the form: an Android app can rewrite only what it draws itself.
    /// Nil if it cannot be made to fit, which takes ids beyond the interface's limits.
    package static func body(
        _ draft: PushDraft, _ content: NotificationContent, _ identity: PushIdentity, _ phrases: Phrases,
        for target: Target
    ) -> [UInt8]? {
        switch draft.content {
        case .alert(let alert):
            let shown = ShownAlert(alert, content, phrases)
            let appDraws = target.form == .data || alert.message.conversation.isEndToEndEncrypted
            return fitted(shown, appDraws ? .plain : .spelled) {
                appDraws
                    ? appDrawn($0, draft, identity, target) : systemDrawn($0, draft, identity, target)
            }
        case .wake(let alert):
            return fitted(ShownAlert(alert, content, phrases), .plain) { wake($0, draft, identity, target) }
        case .cover(let cover):
            guard let alert = cover.rendered else { return quiet(draft, identity, target).bytes }
            return fitted(ShownAlert(alert, content, phrases), .plain) {
                appDrawn($0, draft, identity, target)
            }
        case .badge: return quiet(draft, identity, target).bytes
        case .call(let call): return ring(call, draft, target)
        }
    }

    /// A body and what FCM counts of it.
    private typealias Spelled = (bytes: [UInt8], size: Int)

    private static func fitted(
        _ shown: ShownAlert, _ measure: EncodedText.Measure, _ spell: (ShownAlert) -> Spelled
    ) -> [UInt8]? {
        var shown = shown
        while true {
            let (bytes, size) = spell(shown)
            if size <= maximumByteCount { return bytes }
            guard shown.shorten(by: size - maximumByteCount, measure) else { return nil }
        }
    }

    private static func systemDrawn(
        _ shown: ShownAlert, _ draft: PushDraft, _ identity: PushIdentity, _ target: Target
    ) -> Spelled {
        var data = FCMData(capacity: 512 + shown.content.peers.text.count)
        data.append(draft, shown.alert, imageURL: shown.content.imageURL)
        data.append(tag: identity)
        data.append(shown.content.peers)
        let notification = FCMNotification.spelled(shown, draft, identity)
        return message(data, draft, notification: notification, target)
    }

    private static func appDrawn(
        _ shown: ShownAlert, _ draft: PushDraft, _ identity: PushIdentity, _ target: Target
    ) -> Spelled {
        var data = FCMData(capacity: 768 + shown.content.peers.text.count)
        data.append(draft, shown.alert, imageURL: shown.content.imageURL)
        data.append(tag: identity)
        data.append(shown.text)
        if draft.kind == .cover {
            data.member("rouse_interruption_level", "passive")
        } else {
            data.member("rouse_sound", ifPresent: shown.content.sound)
        }
        data.member("rouse_category", ifPresent: shown.content.category)
        data.append(shown.content.peers)
        return message(data, draft, target)
    }

    private static func wake(
        _ shown: ShownAlert, _ draft: PushDraft, _ identity: PushIdentity, _ target: Target
    ) -> Spelled {
        var data = FCMData(capacity: 512 + shown.content.peers.text.count)
        data.append(draft, shown.alert, imageURL: shown.content.imageURL)
        data.append(tag: identity)
        data.append(shown.content.peers)
        return message(data, draft, target)
    }

    /// A cover that leaves nothing to show, or the number alone. Always fits: ids to clear are bounded.
    private static func quiet(
        _ draft: PushDraft, _ identity: PushIdentity, _ target: Target
    ) -> Spelled {
        var data = FCMData(capacity: 256 + 36 * identity.cleared.count)
        data.append(draft, nil, imageURL: nil)
        data.append(tag: identity)
        return message(data, draft, target)
    }

    /// A caller's name is cut, and data that passes the limit by itself left out: the phone must ring.
    private static func ring(_ call: CallDraft, _ draft: PushDraft, _ target: Target) -> [UInt8]? {
        var name = call.callerName
        var peers = Peers(parsing: call.data)
        while true {
            var data = FCMData(capacity: 512 + peers.text.count)
            data.append(call, callerName: name)
            data.append(peers)
            let (bytes, size) = message(data, draft, target)
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

    private static func message(
        _ data: FCMData, _ draft: PushDraft, notification: [UInt8]? = nil, _ target: Target
    ) -> Spelled {
        let size = data.byteCount + (notification?.count ?? 0)
        let data = data.finish()
        var writer = JSONWriter(
            capacity: data.count + (notification?.count ?? 0) + 128 + target.token.utf8.count)
        writer.beginObject()
        writer.key("message")
        writer.beginObject()
        writer.member("token", target.token)
        writer.member("data", raw: data)
        writer.key("android")
        writer.beginObject()
        writer.member("priority", priority(draft))
        writer.member("ttl", "\(secondsToLive(draft, target.now))s")
        if let notification { writer.member("notification", raw: notification) }
        writer.endObject()
        writer.endObject()
        writer.endObject()
        return (writer.bytes, size)
    }

    private static func priority(_ draft: PushDraft) -> String {
        switch draft.content {
        case .alert, .call: "HIGH"
        case .wake, .cover, .badge: "NORMAL"
        }
    }

    private static let maximumSecondsToLive: Int64 = 2_419_200

    private static func secondsToLive(_ draft: PushDraft, _ now: WallTime) -> Int64 {
        let expiry = if case .call(let call) = draft.content { call.expiresAt } else { draft.expiresAt }
        return min(maximumSecondsToLive, max(0, (expiry - now) / 1_000))
    }
}
