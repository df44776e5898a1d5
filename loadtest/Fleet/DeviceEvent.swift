import Wire

/// Something that happened to a device of a fleet, for whoever watches.
struct DeviceEvent: Sendable {
    enum Happening: Sendable {
        case authenticated(WelcomeFrame)
        /// Microseconds since the harness sent the message, where it did.
        case entry(ServerFrame.Entry, latency: Int?)
        case applied(Int64)
        case badge(ShownBadge)
        case error(code: String, detail: String)
        /// CALL or CALL_CANCELLED.
        case call(type: String, id: String)
        case other(type: String)
        /// 1006 without a close frame.
        case ended(code: UInt16, reason: String)
        /// No WebSocket came about: a status, or 0 where there was no answer.
        case refused(status: Int, reason: String)
    }

    let device: Int
    /// The machine's boot clock in nanoseconds, the same in every process.
    let time: UInt64
    let happening: Happening

    /// One object for one line.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("t_ms", Int64(time / 1_000_000))
        writer.member("device", device)
        write(to: &writer)
        writer.endObject()
        return writer.bytes
    }

    private func write(to writer: inout JSONWriter) {
        switch happening {
        case .authenticated(let welcome):
            writer.member("event", "authenticated")
            writer.member("connection", welcome.connection)
            writer.member("mailbox_id", welcome.mailbox.text)
            writer.member("mailbox_seq", welcome.head)
            writer.member("first_mailbox_seq", welcome.firstSeq)
            writer.member("truncated", welcome.isTruncated)
            if let badge = welcome.badge { write(badge, to: &writer) }
        case .entry(let entry, let latency):
            writer.member("event", "entry")
            writer.member("kind", entry.kind)
            writer.member("mailbox_seq", entry.seq)
            writer.member("message_id", ifPresent: entry.messageID)
            if let latency { writer.member("latency_us", latency) }
        case .applied(let seq):
            writer.member("event", "applied")
            writer.member("mailbox_seq", seq)
        case .badge(let badge):
            writer.member("event", "badge")
            write(badge, to: &writer)
        case .error(let code, let detail):
            writer.member("event", "error")
            writer.member("code", code)
            writer.member("detail", detail)
        case .call(let type, let id):
            writer.member("event", "call")
            writer.member("type", type)
            writer.member("call_id", id)
        case .other(let type):
            writer.member("event", "other")
            writer.member("type", type)
        case .ended(let code, let reason):
            writer.member("event", "ended")
            writer.member("code", Int(code))
            writer.member("reason", reason)
        case .refused(let status, let reason):
            writer.member("event", "refused")
            writer.member("status", status)
            writer.member("reason", reason)
        }
    }

    private func write(_ badge: ShownBadge, to writer: inout JSONWriter) {
        writer.member("total_unread", badge.unread)
        writer.member("total_mention", badge.mentions)
        writer.member("muted_unread", badge.mutedUnread)
        writer.member("badge_projection_mailbox_seq", badge.projectionSeq)
    }
}
