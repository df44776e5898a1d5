import Domain
import Wire

/// A frame of a device, as far as it can be used.
enum ClientFrame: Equatable {
    case authenticate(Authentication)
    case applied(MailboxSeq)
    case read(ConversationID, MailboxSeq)
    case callApplied(CallID)
    case callAnswered(CallID)

    struct Authentication: Equatable {
        var token: [UInt8]?
        var resume: User.Resume
    }

    /// What an ERROR frame tells of a frame that cannot be used.
    struct Fault: Error, Equatable {
        let code: String
        let detail: String
    }

    /// Reads one text frame; unknown fields are refused, as everywhere in the interface.
    init(parsing bytes: [UInt8]) throws(Fault) {
        let root: JSONNode
        do {
            root = try JSONDocument(parsing: bytes).root
        } catch {
            throw Fault(code: "malformed_json", detail: "\(error).")
        }
        guard root.kind == .object, let type = root["type"]?.string else {
            throw Fault(code: "missing_field", detail: "A frame is an object with a type.")
        }
        switch type {
        case "AUTH": self = .authenticate(try Self.authentication(root))
        case "APPLIED":
            try Self.refuseOthers(root, ["type", "mailbox_seq"])
            self = .applied(try Self.seq(root, "mailbox_seq"))
        case "READ":
            try Self.refuseOthers(root, ["type", "conversation_id", "mailbox_seq"])
            self = .read(
                ConversationID(try Self.id(root, "conversation_id")), try Self.seq(root, "mailbox_seq"))
        case "CALL_APPLIED": self = .callApplied(try Self.call(root))
        case "CALL_ANSWERED": self = .callAnswered(try Self.call(root))
        default: throw Fault(code: "unknown_type", detail: "The frame's type is not known.")
        }
    }

    /// A word for the metrics.
    var word: String {
        switch self {
        case .authenticate: "auth"
        case .applied: "applied"
        case .read: "read"
        case .callApplied: "call_applied"
        case .callAnswered: "call_answered"
        }
    }

    private static func call(_ root: JSONNode) throws(Fault) -> CallID {
        try refuseOthers(root, ["type", "call_id"])
        return CallID(try id(root, "call_id"))
    }

    private static func authentication(_ root: JSONNode) throws(Fault) -> Authentication {
        try refuseOthers(root, ["type", "token", "mailbox_id", "applied_seq", "from"])
        let token = try optional(root, "token").map { node throws(Fault) in
            guard let bytes = node.stringBytes else { throw wrongType("token") }
            return bytes
        }
        if let from = try optional(root, "from") {
            guard from.isString("head") else {
                throw Fault(code: "invalid_value", detail: "from must be \"head\".")
            }
            guard root["applied_seq"] == nil else {
                throw Fault(code: "invalid_value", detail: "from and applied_seq exclude each other.")
            }
            return Authentication(token: token, resume: .head)
        }
        let seq = root["applied_seq"] == nil ? 0 : try seq(root, "applied_seq")
        return Authentication(token: token, resume: .after(seq, of: try mailbox(root)))
    }

    /// A name that is no mailbox's is that of another one: the client then gets everything.
    private static func mailbox(_ root: JSONNode) throws(Fault) -> MailboxID? {
        guard let node = try optional(root, "mailbox_id") else { return nil }
        guard let text = node.string else { throw wrongType("mailbox_id") }
        return MailboxID(text: text) ?? MailboxID(bytes: Array(repeating: 0, count: 16))
    }

    private static func optional(_ root: JSONNode, _ key: String) throws(Fault) -> JSONNode? {
        guard let node = root[key], !node.isNull else { return nil }
        return node
    }

    private static func seq(_ root: JSONNode, _ key: String) throws(Fault) -> MailboxSeq {
        guard let node = root[key] else { throw Fault(code: "missing_field", detail: "\(key) is required.") }
        guard node.kind == .number else { throw wrongType(key) }
        guard let seq = node.integer, seq >= 0 else {
            throw Fault(code: "invalid_value", detail: "\(key) must be a whole number, 0 or more.")
        }
        return seq
    }

    private static func id(_ root: JSONNode, _ key: String) throws(Fault) -> String {
        guard let node = root[key] else { throw Fault(code: "missing_field", detail: "\(key) is required.") }
        guard let text = node.string else { throw wrongType(key) }
        guard TextLimits.isValidID(text) else {
            throw Fault(
                code: "invalid_value", detail: "\(key) must be 1 to 128 bytes without control characters.")
        }
        return text
    }

    private static func refuseOthers(_ root: JSONNode, _ known: [String]) throws(Fault) {
        for (key, _) in root.members where !known.contains(key) {
            throw Fault(
                code: "unknown_field", detail: "\(TextLimits.truncated(key, toUTF8Bytes: 64)) is not a field."
            )
        }
    }

    private static func wrongType(_ key: String) -> Fault {
        Fault(code: "wrong_type", detail: "\(key) has the wrong type.")
    }
}
