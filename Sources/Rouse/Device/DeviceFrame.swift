import Wire

/// The frames that a device sends.
enum DeviceFrame {
    static func auth(credential: String, place: MailboxPlace?, fromHead: Bool) -> [UInt8] {
        object { writer in
            writer.member("type", "AUTH")
            writer.member("token", credential)
            if fromHead, place == nil {
                writer.member("from", "head")
            } else {
                writer.member("mailbox_id", ifPresent: place?.mailboxID)
                writer.member("applied_seq", place?.appliedSeq ?? 0)
            }
        }
    }

    static func applied(_ seq: Int64) -> [UInt8] {
        object { writer in
            writer.member("type", "APPLIED")
            writer.member("mailbox_seq", seq)
        }
    }

    static func read(_ conversation: String, _ seq: Int64) -> [UInt8] {
        object { writer in
            writer.member("type", "READ")
            writer.member("conversation_id", conversation)
            writer.member("mailbox_seq", seq)
        }
    }

    static func callApplied(_ call: String) -> [UInt8] { ofCall("CALL_APPLIED", call) }

    static func callAnswered(_ call: String) -> [UInt8] { ofCall("CALL_ANSWERED", call) }

    private static func ofCall(_ type: StaticString, _ call: String) -> [UInt8] {
        object { writer in
            writer.member("type", "\(type)")
            writer.member("call_id", call)
        }
    }

    private static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        members(&writer)
        writer.endObject()
        return writer.bytes
    }
}

/// How far a device is in which mailbox: what it keeps between two connections.
struct MailboxPlace: Equatable, Sendable {
    var mailboxID: String
    var appliedSeq: Int64
}
