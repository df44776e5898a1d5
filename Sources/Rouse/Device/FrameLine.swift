import Wire

/// What a frame of the gateway says, in one line for people.
enum FrameLine {
    static func text(_ frame: JSONNode) -> String {
        switch frame["type"]?.string {
        case "AUTH_OK": authenticated(frame)
        case "ENTRY": entry(frame)
        case "BADGE_UPDATE": "badge    \(badge(frame))"
        case "SESSION_DELTA": delta(frame)
        case "CALL": "call     \(word(frame, "call_id")) from \(name(frame["caller"]))"
        case "CALL_CANCELLED": "call     \(word(frame, "call_id")) is over: \(word(frame, "reason"))"
        case "ERROR": "error    \(word(frame, "code")): \(word(frame, "detail"))"
        case let other: "frame    \(other ?? "without a type")"
        }
    }

    private static func authenticated(_ frame: JSONNode) -> String {
        let truncated = frame["truncated"]?.bool == true ? ", older entries have left" : ""
        return "online   mailbox at \(number(frame, "mailbox_seq"))\(truncated); \(badge(frame))"
    }

    private static func entry(_ frame: JSONNode) -> String {
        let seq = number(frame, "mailbox_seq")
        let conversation = word(frame, "conversation_id")
        switch frame["kind"]?.string {
        case "message":
            let mention = frame["mention_type"]?.string ?? "none"
            let mark = mention == "none" ? "" : " (mentions \(mention))"
            return "entry    \(seq) message \(word(frame, "message_id")) in \(conversation) "
                + "from \(word(frame, "sender"))\(mark)\(content(frame))"
        case "read":
            return "entry    \(seq) read \(conversation) through \(number(frame, "read_mailbox_seq"))"
        case "recall": return "entry    \(seq) recall of \(word(frame, "message_id")) in \(conversation)"
        case "settings":
            let muted = frame["muted"]?.bool == true ? "muted" : "unmuted"
            return "entry    \(seq) settings \(conversation) \(muted)"
        case let other: return "entry    \(seq) \(other ?? "of no kind")"
        }
    }

    /// The text, or the payload where there is none: what the person would see.
    private static func content(_ frame: JSONNode) -> String {
        if let body = frame["notification"]?["body"]?.string { return ": \(oneLine(body))" }
        if let payload = frame["payload"], !payload.isNull {
            return ": \(oneLine(String(decoding: payload.rawBytes.prefix(200), as: UTF8.self)))"
        }
        return ""
    }

    private static func delta(_ frame: JSONNode) -> String {
        let conversations = frame["conversations"].map { Array($0.elements) } ?? []
        let parts = conversations.map { conversation in
            "\(word(conversation, "conversation_id")) unread \(number(conversation, "unread"))"
        }
        return "session  \(parts.joined(separator: ", "))"
    }

    private static func badge(_ frame: JSONNode) -> String {
        "unread \(number(frame, "total_unread")), mentions \(number(frame, "total_mention"))"
            + ", muted \(number(frame, "muted_unread"))"
    }

    private static func word(_ frame: JSONNode, _ key: String) -> String {
        frame[key]?.string.map(oneLine) ?? "?"
    }

    private static func number(_ frame: JSONNode, _ key: String) -> String {
        frame[key]?.integer.map(String.init) ?? "?"
    }

    private static func name(_ caller: JSONNode?) -> String {
        caller?["name"]?.string.map(oneLine) ?? caller?["user"]?.string.map(oneLine) ?? "?"
    }

    /// Text from elsewhere must not move the cursor or colour the terminal.
    static func oneLine(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
    }
}
