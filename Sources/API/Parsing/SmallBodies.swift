package import Domain
package import Engine
import Wire

/// The body of the two `reads` calls.
package struct ReadBody: Sendable {
    package let target: ReadTarget
    /// Named by a backend only: the device that read.
    package let device: DeviceID?

    package init(parsing body: [UInt8], mayNameDevice: Bool) throws(Problem) {
        var conversation: ConversationID?
        var message: MessageID?
        var seq: MailboxSeq?
        var all = false
        var device: DeviceID?
        for (key, value) in try JSONDocument.object(parsing: body).members {
            switch key {
            case "conversation_id": conversation = try value.present?.identifier("conversation_id")
            case "message_id": message = try value.present?.identifier("message_id")
            case "mailbox_seq": seq = try value.present?.whole("mailbox_seq", 0...Int64.max)
            case "all": all = try value.present?.flag("all") ?? false
            case "device" where mayNameDevice: device = try value.present?.identifier("device")
            default: throw .unknownField(key)
            }
        }
        target = try Self.target(conversation, message, seq, all)
        self.device = device
    }

    private static func target(
        _ conversation: ConversationID?, _ message: MessageID?, _ seq: MailboxSeq?, _ all: Bool
    ) throws(Problem) -> ReadTarget {
        if all {
            guard conversation == nil, message == nil, seq == nil else {
                throw .invalid("all", "stands alone")
            }
            return .all
        }
        guard let conversation else { throw .missing("conversation_id") }
        switch (seq, message) {
        case (let seq?, nil): return .conversation(conversation, through: seq)
        case (nil, let message?): return .message(conversation, message)
        case (nil, nil): throw .missing("mailbox_seq or message_id")
        default: throw .invalid("mailbox_seq", "and message_id exclude each other")
        }
    }
}

/// The body of `POST /v1/mailbox/applied`.
package struct AppliedBody: Sendable {
    package let seq: MailboxSeq

    package init(parsing body: [UInt8]) throws(Problem) {
        var seq: MailboxSeq?
        for (key, value) in try JSONDocument.object(parsing: body).members {
            guard key == "mailbox_seq" else { throw .unknownField(key) }
            seq = try value.present?.whole("mailbox_seq", 0...Int64.max)
        }
        guard let seq else { throw .missing("mailbox_seq") }
        self.seq = seq
    }
}

/// The body of `PUT …/conversations/{conversation_id}/settings`.
package struct ConversationSettingsBody: Sendable {
    package let isMuted: Bool
    package let mutedUntil: WallTime?

    package init(parsing body: [UInt8]) throws(Problem) {
        var isMuted: Bool?
        var mutedUntil: WallTime?
        for (key, value) in try JSONDocument.object(parsing: body).members {
            switch key {
            case "muted": isMuted = try value.present?.flag("muted")
            case "muted_until": mutedUntil = try value.present?.time("muted_until")
            default: throw .unknownField(key)
            }
        }
        guard let isMuted else { throw .missing("muted") }
        guard isMuted || mutedUntil == nil else { throw .invalid("muted_until", "needs muted: true") }
        self.isMuted = isMuted
        self.mutedUntil = mutedUntil
    }
}
