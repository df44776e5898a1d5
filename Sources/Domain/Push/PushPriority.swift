/// Hand-over order: what wakes first when more is due than can be sent.
package enum PushPriority: UInt8, Comparable, CaseIterable, Sendable {
    case mention = 0
    case direct = 1
    case smallGroup = 2
    case largeGroup = 3

    package init(_ message: Message, _ mention: Mention, largeGroupMembers: Int) {
        if mention != .none {
            self = .mention
        } else if message.conversation.kind == .direct {
            self = .direct
        } else {
            self = message.conversation.memberCount >= largeGroupMembers ? .largeGroup : .smallGroup
        }
    }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
