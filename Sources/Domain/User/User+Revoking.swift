/// What the user has read, or the sender taken back, wakes nobody any more.
extension User {
    /// A message was recalled by its sender: it counts no more, wakes nobody, and leaves the screens.
    ///
    /// - Precondition: the entry at `seq` is this message's, and has not been recalled before.
    package mutating func recalled(
        _ message: MessageID, _ seq: MailboxSeq, in conversation: ConversationID, at now: Moment
    ) -> [UserAction] {
        var actions: [UserAction] = []
        let uncounted = conversations[conversation].unread.contains { $0.seq == seq } ? seq : nil
        append(.recall(conversation, message, of: seq), at: now, &actions)
        revoke(
            conversation, where: { $0 == seq }, uncounted: uncounted, .recalled, knownTo: nil, at: now,
            &actions)
        owe(at: now, &actions)
        return actions
    }

    /// The user left a conversation: what is unread of it, its tasks and its banners go.
    package mutating func left(_ conversation: ConversationID, at now: Moment) -> [UserAction] {
        let last = conversations[conversation].lastSeq
        guard case .success(let actions) = read(conversation, through: last, by: nil, at: now) else {
            return []
        }
        return actions
    }

    /// Tasks that were not handed over are cancelled, what was shown is owed a cover; what is with the
    /// provider is settled with its outcome.
    ///
    /// - Parameter uncounted: the first entry of the conversation that is unread no more; nil: none.
    mutating func revoke(
        _ conversation: ConversationID, where isMeant: (MailboxSeq) -> Bool, uncounted: MailboxSeq?,
        _ reason: OutcomeReason, knownTo reader: DeviceID?, at now: Moment, _ actions: inout [UserAction]
    ) {
        guard !policy.disabledRules.contains(.readsRevoke) else { return }
        let step: TraceStep.Event =
            reason == .recalled ? .recalled(by: head) : .read(through: conversations[conversation].readSeq)
        for index in devices.indices {
            endTasks(
                index, where: { isMeant($0.seq) && $0.message.conversation.id == conversation }, .cancelled,
                reason, step, at: now, &actions)
        }
        overtake(conversation, where: isMeant, uncounted: uncounted, knownTo: reader, &actions)
    }
}
