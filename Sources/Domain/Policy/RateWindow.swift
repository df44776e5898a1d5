/// The units that a user's pushes have taken of the limits within the last minute, by the boot-time clock.
///
/// Holds no more units than the limits let in, and none that is older: what is over a limit leaves no trace
/// here.
package struct RateWindow: Equatable, Sendable {
    package static let milliseconds: Int64 = 60_000

    /// One push, however many devices it goes to.
    package struct Unit: Equatable, Sendable {
        let number: UInt32
        let at: Instant
        let conversation: ConversationID
        let priority: PushPriority
        /// Whether a provider has accepted it for any device.
        var isAccepted = false
    }

    /// Ascending by time.
    private(set) var units: [Unit] = []
    private var lastNumber: UInt32 = 0

    package init() {}

    /// As it was stored; what has left the window since is left out.
    init(_ record: RateRecord, at now: Moment) {
        units = record.units.map {
            Unit(
                number: $0.number, at: now.instant(of: $0.at), conversation: $0.conversation,
                priority: $0.priority, isAccepted: $0.isAccepted)
        }
        lastNumber = max(units.map(\.number).max() ?? 0, record.admitted.values.max() ?? 0)
        forget(before: now.instant)
    }

    /// What counts at an instant: a unit does for a minute from its own, without the minute's end.
    mutating func forget(before now: Instant) {
        guard let first = units.first, now - first.at >= Self.milliseconds else { return }
        units.removeAll { now - $0.at >= Self.milliseconds }
    }

    /// - Precondition: what is too old has been forgotten.
    func standing(of conversation: ConversationID, _ policy: Policy) -> RateStanding {
        RateStanding(
            used: units.count, usedByLower: units.count { $0.priority != .mention },
            limit: policy.pushRatePerUserPerMinute, reserve: policy.mentionReserve,
            conversationUsed: units.count { $0.conversation == conversation },
            conversationLimit: policy.pushRatePerConversationPerMinute)
    }

    mutating func take(_ conversation: ConversationID, _ priority: PushPriority, at now: Instant)
        -> UInt32
    {
        lastNumber += 1
        units.append(Unit(number: lastNumber, at: now, conversation: conversation, priority: priority))
        return lastNumber
    }

    mutating func accepted(_ number: UInt32) {
        // The newest are asked about most.
        guard let index = units.lastIndex(where: { $0.number == number }) else { return }
        units[index].isAccepted = true
    }

    mutating func giveBack(_ number: UInt32) { units.removeAll { $0.number == number } }
}

/// How the limits stood when a push was judged: what `explain` shows of the verdict.
package struct RateStanding: Equatable, Sendable {
    package let used: Int
    /// Of these, by pushes that mention nobody.
    let usedByLower: Int
    package let limit: Int
    package let reserve: Int
    package let conversationUsed: Int
    package let conversationLimit: Int

    /// The limit that a push would pass; nil: none.
    func limitReached(by priority: PushPriority) -> RateLimit? {
        if conversationUsed >= conversationLimit { return .conversation }
        if used >= limit { return .user }
        if priority != .mention && usedByLower >= limit - reserve { return .mentionReserve }
        return nil
    }
}

/// Which limit a push was over.
package enum RateLimit: UInt8, Sendable {
    case user, conversation
    /// There is room, but it is kept for mentions.
    case mentionReserve

    package var word: String {
        switch self {
        case .user: "push_rate_per_user_per_min"
        case .conversation: "push_rate_per_conversation_per_min"
        case .mentionReserve: "mention_reserve"
        }
    }
}

/// What the limits said about a message, once for all of its copies.
package enum RateVerdict: Equatable, Sendable {
    /// By the unit of this number, which may have left the window since.
    case admitted(UInt32)
    case dropped
}
