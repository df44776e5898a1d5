/// How the duty to wake one device for one message ended; "no push" always has one, too.
package enum Outcome: UInt8, Sendable, CaseIterable {
    /// The provider accepted the push.
    case notified = 1
    /// The device acknowledged the entry: the only proof of receipt.
    case applied = 2
    /// Policy made no task, or took it back when it was judged again; see the reason.
    case suppressed = 3
    /// It could not be sent; see the reason.
    case dropped = 4
    /// The user read the conversation, or the sender recalled the message, before the hand-over.
    case cancelled = 5

    package var word: String {
        switch self {
        case .notified: "notified"
        case .applied: "applied"
        case .suppressed: "suppressed"
        case .dropped: "dropped"
        case .cancelled: "cancelled"
        }
    }
}

/// Why a device was not woken, or no longer had to be.
package enum OutcomeReason: UInt8, Sendable, CaseIterable {
    case none = 0
    /// The device has no live alert-capable token.
    case notWakeable = 1
    case ownMessage = 2
    /// The backend asked for no push (`push: false`).
    case pushNotWanted = 3
    case muted = 4
    case quietHours = 5
    case read = 6
    case recalled = 7
    case expired = 8
    case tokenDead = 9
    case rejected = 10
    case attemptsExhausted = 11
    case rateLimited = 12
    case deviceRemoved = 13
    /// Calls: the device has no token that can make it ring.
    case noCallToken = 40
    /// Calls: the device's VoIP pushes of this UTC day are used up.
    case quotaExceeded = 41
    case answeredElsewhere = 42
    /// The backend cancelled the call.
    case callCancelled = 43

    package var word: String {
        switch self {
        case .none: ""
        case .notWakeable: "not_wakeable"
        case .ownMessage: "own_message"
        case .pushNotWanted: "push_not_wanted"
        case .muted: "muted"
        case .quietHours: "quiet_hours"
        case .read: "read"
        case .recalled: "recalled"
        case .expired: "expired"
        case .tokenDead: "token_dead"
        case .rejected: "rejected"
        case .attemptsExhausted: "attempts_exhausted"
        case .rateLimited: "rate_limited"
        case .deviceRemoved: "device_removed"
        case .noCallToken: "no_call_token"
        case .quotaExceeded: "quota_exceeded"
        case .answeredElsewhere: "answered_elsewhere"
        case .callCancelled: "call_cancelled"
        }
    }
}

/// Why a task fell due.
package enum DueReason: UInt8, Sendable {
    case offline
    /// `push_grace_window` passed without PUSHED.
    case graceWindowOver
    /// `push_confirm_extended_window` passed after PUSHED without APPLIED.
    case confirmWindowOver
    case connectionClosed
    /// Read back after a crash or a take-over.
    case recovered

    package var word: String {
        switch self {
        case .offline: "offline"
        case .graceWindowOver: "grace_window_over"
        case .confirmWindowOver: "confirm_window_over"
        case .connectionClosed: "connection_closed"
        case .recovered: "recovered"
        }
    }
}

/// One step of a task's life, for the explanation. Small, since every open task has several: what needs more
/// room is held elsewhere, and shared by all copies.
package struct TraceStep: Equatable, Sendable {
    package let at: WallTime
    package let event: Event

    package init(at: WallTime, event: Event) {
        self.at = at
        self.event = event
    }

    package enum Event: Equatable, Sendable {
        case materialised(seq: MailboxSeq)
        case presence(ConnectionID?)
        case held(milliseconds: Int64)
        case pushed(ConnectionID)
        case extended(milliseconds: Int64)
        case due(DueReason)
        case merging(milliseconds: Int64)
        case built(groupSize: Int32, unread: Int64, badge: Int64, Transport, attempt: Int32)
        case answered(PushVerdict, ProviderAnswer)
        case retrying(afterMilliseconds: Int64)
        case applied(through: MailboxSeq)
        case read(through: MailboxSeq)
        /// The entry that took the message back.
        case recalled(by: MailboxSeq)
        /// The conversation is muted; nil: without an end.
        case muted(until: WallTime?)
        /// The local minute of the day lies in the user's window, in this zone.
        indirect case quietHours(QuietHours, minute: Int, zone: String, ZoneOrigin)
        /// How the limits stood when the message's first copy was about to be handed over; nil: it was let
        /// in.
        indirect case limits(RateStanding, over: RateLimit?)
        /// The message joined a push that had been let in before, and shares its unit.
        case joinedUnit
        /// A mention, of this entry, has taken the unit.
        case gaveWay(to: MailboxSeq)
        case wakeBudget(used: Int, budget: Int, isWake: Bool)
        case expiredAt(WallTime)
        case ended(Outcome, OutcomeReason)
        case call(CallStep)
    }
}
