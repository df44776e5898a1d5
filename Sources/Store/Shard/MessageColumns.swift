import Domain

extension Row {
    /// The columns of `message`, from its key to its payload.
    mutating func message() -> Message {
        guard let message = messageOrNil() else { preconditionFailure("a message without a key") }
        return message
    }

    /// Nil behind an outer join that found no message.
    mutating func messageOrNil() -> Message? {
        guard let key = int8OrNil() else { return nil }
        return Message(
            key: MessageKey(key), id: MessageID(text()), conversation: conversation(), sender: sender(),
            countsUnread: bool(), wantsPush: bool(), sentAt: timestampOrNil(), expiresAt: timestampOrNil(),
            notification: bytea(), payload: bytea(), wantsWake: bool())
    }

    private mutating func conversation() -> Message.Conversation {
        Message.Conversation(
            id: ConversationID(text()), kind: int2() == 0 ? .direct : .group, name: textOrNil(),
            memberCount: Int(int4()), isEndToEndEncrypted: bool())
    }

    private mutating func sender() -> Message.Sender {
        Message.Sender(user: UserID(text()), name: textOrNil(), device: textOrNil().map { DeviceID($0) })
    }
}
