package import Domain
package import Engine
import Wire

/// The body of `POST /v1/calls`.
package enum CallReader {
    package static let maximumCallees = 1_000
    /// What fits into a push of either provider, whatever the ids and the name.
    package static let maximumDataBytes = 2_048
    static let maximumNameBytes = 1_024

    /// - Throws: the problem to answer with.
    package static func call(parsing body: [UInt8]) throws(Problem) -> IncomingCall {
        var draft = CallFields()
        for (key, value) in try JSONDocument.object(parsing: body).members { try draft.take(key, value) }
        return try draft.finish()
    }
}

/// The fields read so far.
private struct CallFields {
    private var id: CallID?
    private var caller: Domain.Call.Caller?
    private var callees: [UserID] = []
    private var isVideo: Bool?
    private var conversation: ConversationID?
    private var data: [UInt8] = []
    private var ttlSeconds = Domain.Call.defaultTTLSeconds

    mutating func take(_ key: String, _ value: JSONNode) throws(Problem) {
        switch key {
        case "call_id": id = try value.present?.identifier("call_id")
        case "caller": caller = try value.present.map(Self.caller)
        case "callees": callees = try Self.callees(value)
        case "video": isVideo = try value.present?.flag("video")
        case "conversation_id": conversation = try value.present?.identifier("conversation_id")
        case "data": data = try value.present.map(Self.data) ?? []
        case "ttl_s":
            ttlSeconds =
                try value.present?.whole("ttl_s", 1...Domain.Call.longestTTLSeconds) ?? ttlSeconds
        default: throw .unknownField(key)
        }
    }

    func finish() throws(Problem) -> IncomingCall {
        guard let id else { throw .missing("call_id") }
        guard let caller else { throw .missing("caller") }
        guard !callees.isEmpty else { throw .missing("callees") }
        guard let isVideo else { throw .missing("video") }
        return IncomingCall(
            id: id, caller: caller, callees: callees, isVideo: isVideo, conversation: conversation,
            data: data, ttlSeconds: ttlSeconds)
    }

    private static func caller(_ node: JSONNode) throws(Problem) -> Domain.Call.Caller {
        var user: UserID?
        var name: String?
        for (key, value) in try node.object("caller").members {
            switch key {
            case "user": user = try value.present?.identifier("caller.user")
            case "name": name = try value.present?.name("caller.name", upTo: CallReader.maximumNameBytes)
            default: throw .unknownField("caller.\(key)")
            }
        }
        guard let user else { throw .missing("caller.user") }
        return Domain.Call.Caller(user: user, name: name)
    }

    /// Without duplicates, in the order given.
    private static func callees(_ node: JSONNode) throws(Problem) -> [UserID] {
        var callees: [UserID] = []
        var seen: Set<UserID> = []
        for value in try node.list("callees") {
            guard callees.count < CallReader.maximumCallees else {
                throw .invalid("callees", "may name up to \(CallReader.maximumCallees) users")
            }
            let user: UserID = try value.identifier("callees[]")
            if seen.insert(user).inserted { callees.append(user) }
        }
        guard !callees.isEmpty else { throw .invalid("callees", "must name at least one user") }
        return callees
    }

    private static func data(_ node: JSONNode) throws(Problem) -> [UInt8] {
        let bytes = try node.object("data").rawBytes
        guard bytes.count <= CallReader.maximumDataBytes else {
            throw Problem(.dataTooLarge, "data is longer than \(CallReader.maximumDataBytes) bytes.")
        }
        return Array(bytes)
    }
}

/// The body of `POST /v1/calls/{call_id}/cancel`.
package struct CallCancelBody: Sendable {
    static let maximumReasonBytes = 128

    package let reason: String
    /// Nil: the call ends for all.
    package let callee: UserID?

    package init(parsing body: [UInt8]) throws(Problem) {
        var reason: String?
        var callee: UserID?
        for (key, value) in try JSONDocument.object(parsing: body).members {
            switch key {
            case "reason": reason = try value.present?.name("reason", upTo: Self.maximumReasonBytes)
            case "callee": callee = try value.present?.identifier("callee")
            default: throw .unknownField(key)
            }
        }
        self.reason = reason ?? "cancelled"
        self.callee = callee
    }
}
