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
        var priority: PushPriority
        /// Whether a provider has accepted it for any device.
        var isAccepted = false
    }

    /// Ascending by time; before `first` are those that count no more.
    private var kept: [Unit] = []
    private var first = 0
    private var lastNumber: UInt32 = 0
    private var conversations: [ConversationID: Int] = [:]
    /// Units of pushes that mention nobody.
    private var lower = 0

    package init() {}

    /// As it was stored; what has left the window since is left out.
    init(_ record: RateRecord, at now: Moment) {
        for unit in record.units {
            add(
                Unit(
                    number: unit.number, at: now.instant(of: unit.at), conversation: unit.conversation,
                    priority: unit.priority, isAccepted: unit.isAccepted))
        }
        lastNumber = max(kept.map(\.number).max() ?? 0, record.admitted.values.max() ?? 0)
        forget(before: now.instant)
    }

    var units: ArraySlice<Unit> { kept[first...] }

    /// With those that count no more and are still in memory.
    var keptCount: Int { kept.count }

    /// What counts at an instant: a unit does for a minute from its own, without the minute's end.
    mutating func forget(before now: Instant) {
        while first < kept.count, now - kept[first].at >= Self.milliseconds {
            discount(kept[first])
            first += 1
        }
        guard first > 64, first * 2 > kept.count else { return }
        kept.removeFirst(first)
        first = 0
    }

    /// - Precondition: what is too old has been forgotten.
    func standing(of conversation: ConversationID, _ policy: Policy) -> RateStanding {
        RateStanding(
            used: kept.count - first, usedByLower: lower, limit: policy.pushRatePerUserPerMinute,
            reserve: policy.mentionReserve, conversationUsed: conversations[conversation] ?? 0,
            conversationLimit: policy.pushRatePerConversationPerMinute)
    }

    mutating func take(_ conversation: ConversationID, _ priority: PushPriority, at now: Instant) -> UInt32 {
        lastNumber += 1
        add(Unit(number: lastNumber, at: now, conversation: conversation, priority: priority))
        return lastNumber
    }

    mutating func accepted(_ number: UInt32) {
        guard let index = index(of: number) else { return }
        kept[index].isAccepted = true
    }

    /// Something that must go sooner shares the unit now.
    mutating func raise(_ number: UInt32, to priority: PushPriority) {
        guard let index = index(of: number), priority < kept[index].priority else { return }
        discount(kept[index])
        kept[index].priority = priority
        count(kept[index])
    }

    mutating func giveBack(_ number: UInt32) {
        guard let index = index(of: number) else { return }
        discount(kept.remove(at: index))
    }

    /// The newest are asked about most.
    private func index(of number: UInt32) -> Int? { units.lastIndex { $0.number == number } }

    private mutating func add(_ unit: Unit) {
        kept.append(unit)
        count(unit)
    }

    private mutating func count(_ unit: Unit) {
        conversations[unit.conversation, default: 0] += 1
        if unit.priority != .mention { lower += 1 }
    }

    private mutating func discount(_ unit: Unit) {
        let rest = (conversations[unit.conversation] ?? 1) - 1
        conversations[unit.conversation] = rest == 0 ? nil : rest
        if unit.priority != .mention { lower -= 1 }
    }
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
