/// The duty to wake one device for one message.
package struct PushTask: Equatable, Sendable {
    package let key: TaskKey
    package let message: Message
    package let mention: Mention
    package let seq: MailboxSeq
    package let materialisedAt: WallTime
    package internal(set) var state: State
    /// Answers about this message so far that asked for another try.
    package internal(set) var attempts: Int
    package internal(set) var trace: [TraceStep]
    /// Evidence that came while the request was with the provider; settled with its outcome.
    package internal(set) var pendingEnd: PendingEnd?

    package enum PendingEnd: Equatable, Sendable { case applied, cancelled(OutcomeReason) }

    /// `docs/task-states.md` draws these.
    package enum State: Equatable, Sendable {
        /// Waits for evidence until then.
        case held(until: Instant, isExtended: Bool)
        /// Due; part of the open group of its conversation.
        case grouped
        /// Built into a request that is with the provider.
        case handedOver
    }

    package var isHeld: Bool {
        if case .held = state { true } else { false }
    }
}

/// What is stored of a task between its making and its end.
package enum StoredTaskState: UInt8, Sendable {
    case held = 1
    case due = 2
    /// Waits for the next attempt.
    case retrying = 3
}
