/// What a user's state machine asks for. The first part is recorded by the transaction of the batch; the
/// second is performed after its commit.
package enum UserAction: Equatable, Sendable {
    case append(MailboxEntry)
    case makeTask(DeviceKey, PushTask, StoredTaskState, dueInMilliseconds: Int64)
    case moveTask(DeviceKey, MailboxSeq, StoredTaskState, dueInMilliseconds: Int64, attempts: Int)
    /// The task row goes; its outcome is recorded.
    case endTask(DeviceKey, MailboxSeq, Outcome, OutcomeReason, [TraceStep])
    /// There never was a task row: policy made none.
    case recordOutcome(DeviceKey, MailboxSeq, Outcome, OutcomeReason, [TraceStep])
    case saveDevice(DeviceKey)
    case saveCursor(DeviceKey)
    case removeToken(DeviceKey, TokenKey)
    case saveCheckpoint
    /// What the devices' pushes have left them with.
    case saveRecord
    /// A cover or a badge-only push came to its end.
    case countSilentPush(PushKind, isSent: Bool)
    /// When the user has to be looked at by time alone, should it not be in memory then; nil: never.
    case saveWake(WallTime?)
    case saveSettings

    case deliver(ConnectionID, MailboxEntry)
    /// To every live connection of the user.
    case showBadge
    /// SESSION_DELTA of this conversation, to every live connection of the user.
    case showConversation(ConversationID)
    case welcome(ConnectionID, replayAfter: MailboxSeq)
    case refuse(ConnectionID, UserRefusal)
    case close(ConnectionID, CloseReason)
    /// The device has a push to build: queue it for the channel of its token.
    case queue(DeviceKey, TokenDigest, PushPriority)
    case wake(at: Instant)
    case call(CallAction)

    package enum CloseReason: Equatable, Sendable { case replaced, signedOut }
}

/// Why an event changed nothing.
package enum UserRefusal: Error, Equatable, Sendable {
    /// A seq above the head was named.
    case seqBeyondHead
}
