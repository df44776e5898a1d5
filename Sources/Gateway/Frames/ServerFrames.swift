import Domain
import Engine
import Wire

/// Frames on their way to one device: written one after another, handed to the socket together.
struct ServerFrames {
    private(set) var bytes: [UInt8] = []
    private var writer = JSONWriter(capacity: 0)

    mutating func entry(_ entry: MailboxEntry) {
        frame { EntryEncoding.append(entry, to: &$0) }
    }

    mutating func welcome(_ welcome: Welcome, _ connection: ConnectionID) {
        frame { writer in
            writer.beginObject()
            writer.member("type", "AUTH_OK")
            writer.member("connection", String(connection.raw))
            writer.member("mailbox_id", welcome.mailboxID.text)
            writer.member("mailbox_seq", welcome.mailboxSeq)
            writer.member("first_mailbox_seq", welcome.firstSeq)
            writer.member("truncated", welcome.isTruncated)
            writer.badge(welcome.badge)
            writer.endObject()
        }
    }

    mutating func sessionDelta(_ conversations: [ConversationDelta]) {
        frame { writer in
            writer.beginObject()
            writer.member("type", "SESSION_DELTA")
            writer.key("conversations")
            writer.beginArray()
            for conversation in conversations { writer.delta(conversation) }
            writer.endArray()
            writer.endObject()
        }
    }

    mutating func badge(_ badge: BadgeState) {
        frame { writer in
            writer.beginObject()
            writer.member("type", "BADGE_UPDATE")
            writer.badge(badge)
            writer.endObject()
        }
    }

    mutating func call(_ call: Call) {
        frame { writer in
            writer.beginObject()
            writer.member("type", "CALL")
            writer.call(call)
            writer.endObject()
        }
    }

    mutating func callCancelled(_ call: CallID, _ reason: String) {
        frame { writer in
            writer.beginObject()
            writer.member("type", "CALL_CANCELLED")
            writer.member("call_id", call.text)
            writer.member("reason", reason)
            writer.endObject()
        }
    }

    mutating func error(_ code: String, _ detail: String) {
        frame { writer in
            writer.beginObject()
            writer.member("type", "ERROR")
            writer.member("code", code)
            writer.member("detail", detail)
            writer.endObject()
        }
    }

    mutating func ping() { WebSocketFrameWriter.write(.ping, [], into: &bytes) }
    mutating func pong(_ payload: [UInt8]) { WebSocketFrameWriter.write(.pong, payload, into: &bytes) }

    mutating func close(_ code: WebSocketCloseCode, _ reason: String) {
        WebSocketFrameWriter.writeClose(code, reason: reason, into: &bytes)
    }

    private mutating func frame(_ write: (inout JSONWriter) -> Void) {
        writer.reset()
        write(&writer)
        WebSocketFrameWriter.write(.text, writer.bytes, into: &bytes)
    }
}

extension JSONWriter {
    fileprivate mutating func delta(_ conversation: ConversationDelta) {
        beginObject()
        member("conversation_id", conversation.id.text)
        member("unread", conversation.unread)
        member("mentions", conversation.mentions)
        member("read_mailbox_seq", conversation.readSeq)
        member("muted", conversation.isMuted)
        endObject()
    }
}
