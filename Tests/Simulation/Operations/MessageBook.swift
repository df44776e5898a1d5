import Domain

@testable import Engine

/// The messages of a world's backend: all that a message says follows from its number, so that a repeat says
/// the same.
struct MessageBook {
    private(set) var count = 0

    mutating func next() -> Int {
        count += 1
        return count
    }

    /// `recipients` alone may differ from one sending to the next: pages of one large group.
    static func message(_ number: Int, seed: UInt64, to recipients: [UserID]) -> IncomingMessage {
        var dice = SeededGenerator(seed: seed, stream: 1 << 40 + UInt64(number))
        let place = dice.below(World.conversations.count)
        let mentionsUser = dice.chance(15)
        var message = IncomingMessage(
            id: MessageID("m-\(number)"), conversation: conversation(place),
            sender: Message.Sender(user: dice.chance(30) ? dice.pick(World.users) : UserID("zoe")),
            recipients: recipients)
        message.mentionedUsers = mentionsUser ? [dice.pick(World.users)] : []
        message.mentionsAll = dice.chance(5)
        message.countsUnread = !dice.chance(10)
        message.wantsPush = !dice.chance(8)
        message.wantsWake = dice.chance(12)
        message.expiresInSeconds = dice.chance(15) ? Int64(dice.pick([1, 4, 30])) : nil
        return message
    }

    /// A direct one, a small and a large group.
    private static func conversation(_ place: Int) -> Message.Conversation {
        Message.Conversation(
            id: World.conversations[place], kind: place == 0 ? .direct : .group,
            memberCount: place == 2 ? 100 : 3)
    }
}
