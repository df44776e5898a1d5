package typealias CallKey = Key<CallKind>

/// One call of the backend, shared by the legs of its callees. Immutable.
package final class Call: Sendable {
    /// What a call may ask for at most, and what it gets if it asks for nothing.
    package static let longestTTLSeconds: Int64 = 600
    package static let defaultTTLSeconds: Int64 = 30

    package let key: CallKey
    package let id: CallID
    package let caller: Caller
    package let isVideo: Bool
    package let conversation: ConversationID?
    /// A JSON object, verbatim, or empty.
    package let data: [UInt8]
    package let startedAt: WallTime
    /// When it stops ringing everywhere, whatever was or was not reached.
    package let expiresAt: WallTime

    package init(
        key: CallKey, id: CallID, caller: Caller, isVideo: Bool = false, conversation: ConversationID? = nil,
        data: [UInt8] = [], startedAt: WallTime, expiresAt: WallTime
    ) {
        self.key = key
        self.id = id
        self.caller = caller
        self.isVideo = isVideo
        self.conversation = conversation
        self.data = data
        self.startedAt = startedAt
        self.expiresAt = expiresAt
    }

    package struct Caller: Hashable, Sendable {
        package let user: UserID
        package let name: String?

        package init(user: UserID, name: String? = nil) {
            self.user = user
            self.name = name
        }
    }
}

extension Call: Equatable {
    package static func == (left: Call, right: Call) -> Bool { left.key == right.key }
}

extension CallDraft {
    init(_ call: Call) {
        self.init(
            callID: call.id, callerUser: call.caller.user, callerName: call.caller.name,
            isVideo: call.isVideo, conversation: call.conversation, data: call.data,
            expiresAt: call.expiresAt)
    }
}
