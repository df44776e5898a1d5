/// The duty to wake one device for one message.
package struct PushTask: Equatable, Sendable {
    package let key: TaskKey
    package let message: Message
    package let mention: Mention
    package let seq: MailboxSeq
    package let materialisedAt: WallTime
    package let priority: PushPriority
    package internal(set) var trace: [TraceStep]
    /// Evidence that came while the request was with the provider; settled with its outcome.
    package internal(set) var pendingEnd: PendingEnd?
    /// What the limits said about the message; nil: no copy of it was about to be handed over so far.
    package internal(set) var verdict: RateVerdict?
    /// Read, or recalled, while the request was with the provider: its banner will need a cover.
    package internal(set) var overtaken: Overtaken?

    package init(
        key: TaskKey, message: Message, mention: Mention, seq: MailboxSeq, materialisedAt: WallTime,
        largeGroupMembers: Int, trace: [TraceStep]
    ) {
        self.key = key
        self.message = message
        self.mention = mention
        self.seq = seq
        self.materialisedAt = materialisedAt
        self.priority = PushPriority(message, mention, largeGroupMembers: largeGroupMembers)
        self.trace = trace
    }

    package enum Overtaken: Equatable, Sendable {
        /// By the device itself, which knows.
        case here
        case elsewhere
    }

    package enum PendingEnd: Equatable, Sendable {
        case applied
        case cancelled(OutcomeReason)
    }
}

/// A task that waits for evidence before it falls due.
package struct Hold: Equatable, Sendable {
    package internal(set) var task: PushTask
    package internal(set) var until: Instant
    /// Whether PUSHED moved it to the long window; that happens once.
    package internal(set) var isExtended: Bool

    mutating func extend(until instant: Instant) {
        isExtended = true
        until = instant
    }
}

/// What is stored of a task between its making and its end.
package enum StoredTaskState: UInt8, Sendable {
    case held = 1
    case due = 2
    /// Waits for the next attempt.
    case retrying = 3
}
