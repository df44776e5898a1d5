import Domain
import Engine
import Gateway
import Wire

/// The objects that several answers share.
extension JSONWriter {
    mutating func badgeObject(_ badge: BadgeState) {
        beginObject()
        self.badge(badge)
        endObject()
    }

    mutating func transports(_ transports: [Transport]) {
        key("transports")
        beginArray()
        for transport in transports { string(transport.word) }
        endArray()
    }

    /// `{device, wakeable, transports}`
    mutating func registered(_ status: DeviceStatus) {
        beginObject()
        member("device", status.device.text)
        member("wakeable", status.isWakeable)
        transports(status.transports)
        endObject()
    }

    /// `node`: the process that holds the connections.
    mutating func devices(_ devices: [DeviceStatus], node: String) {
        beginObject()
        key("devices")
        beginArray()
        for status in devices { device(status, node: node) }
        endArray()
        endObject()
    }

    private mutating func device(_ status: DeviceStatus, node: String) {
        beginObject()
        member("device", status.device.text)
        member("online", status.isOnline)
        key("connected_at")
        time(status.presence?.connectedAt)
        key("connection")
        text(status.presence.map { String($0.connection.raw) })
        key("node")
        text(status.isOnline ? node : nil)
        key("pushed_seq")
        if let presence = status.presence { integer(presence.pushedSeq) } else { null() }
        member("wakeable", status.isWakeable)
        transports(status.transports)
        member("applied_seq", status.appliedSeq)
        key("locale")
        text(status.profile.locale)
        key("time_zone")
        text(status.profile.timeZone)
        key("app_version")
        text(status.profile.appVersion)
        key("registered_at")
        time(status.profile.registeredAt)
        key("last_seen")
        time(status.profile.lastSeen)
        endObject()
    }

    mutating func conversation(_ status: ConversationStatus) {
        beginObject()
        member("conversation_id", status.id.text)
        member("unread", status.conversation.unread.count)
        member("mentions", status.conversation.mentions)
        member("muted", status.conversation.isMuted)
        key("muted_until")
        time(status.conversation.mutedUntil)
        member("read_mailbox_seq", status.conversation.readSeq)
        member("last_mailbox_seq", status.conversation.lastSeq)
        endObject()
    }

    /// A page that was asked for with one more than its limit, so that it is known whether there is a next.
    mutating func conversations(_ found: [ConversationStatus], limit: Int) {
        beginObject()
        key("conversations")
        beginArray()
        for status in found.prefix(limit) { conversation(status) }
        endArray()
        key("next")
        text(found.count > limit ? found[limit - 1].id.text : nil)
        endObject()
    }

    mutating func explanation(_ explanation: Explanation) {
        beginObject()
        member("message_id", explanation.message.text)
        member("user", explanation.user.text)
        key("mailbox_seq")
        if let seq = explanation.seq { integer(seq) } else { null() }
        key("materialised_at")
        time(explanation.materialisedAt)
        member("mention_type", explanation.mention.word)
        member("own_message", explanation.isOwnMessage)
        member("push", explanation.wantsPush)
        key("devices")
        beginArray()
        for device in explanation.devices {
            beginObject()
            member("device", device.device.text)
            member("state", device.state)
            member("reason", device.reason)
            member("trace", raw: device.trace.isEmpty ? Array("[]".utf8) : device.trace)
            endObject()
        }
        endArray()
        endObject()
    }

    mutating func text(_ text: String?) {
        if let text { string(text) } else { null() }
    }
}
