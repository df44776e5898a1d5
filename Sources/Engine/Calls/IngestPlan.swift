import Domain
import Synchronization

/// A request's messages, split by shard, and large groups into parts of one batch's size.
struct IngestPlan {
    struct Part {
        let shard: Int
        let message: Int
        var recipients: [IngestPart.Recipient]
    }

    static let partSize = 500

    private(set) var parts: [Part] = []
    private(set) var weights: [Int]

    init(_ messages: [IncomingMessage], tenant: TenantKey, shards: Int) {
        weights = Array(repeating: 0, count: shards)
        parts.reserveCapacity(messages.count)
        // The newest part of each shard.
        var open: [Int?] = Array(repeating: nil, count: shards)
        for index in messages.indices {
            for user in messages[index].recipients {
                let shard = ShardMap.shard(of: UserName(tenant: tenant, user: user), count: shards)
                let recipient = IngestPart.Recipient(
                    user: user, mention: messages[index].mention(of: user))
                weights[shard] += 1
                if let part = open[shard], parts[part].message == index,
                    parts[part].recipients.count < Self.partSize
                {
                    parts[part].recipients.append(recipient)
                } else {
                    open[shard] = parts.count
                    parts.append(Part(shard: shard, message: index, recipients: [recipient]))
                }
            }
        }
    }
}

/// The messages being materialised now: two requests with one id share one row and one key, in whatever
/// shards they meet.
final class MessagesInFlight: Sendable {
    private struct State {
        var keys = KeyAllocator(epoch: 1, lane: KeyAllocator.sharedLane)
        var messages: [MessageName: (message: Message, calls: Int)] = [:]

        mutating func begin(_ incoming: IncomingMessage, _ name: MessageName, now: WallTime) -> Message {
            if let known = messages[name] {
                messages[name]?.calls += 1
                if incoming.isRepeat(of: known.message) { return known.message }
                // A conflict: told apart by the shard, if the one under way is committed.
                return Message(incoming, key: known.message.key, now: now)
            }
            let message = Message(incoming, key: keys.allot(), now: now)
            messages[name] = (message, 1)
            return message
        }
    }

    private let state = Mutex(State())

    func begin(epoch: Int64) {
        state.withLock { $0.keys = KeyAllocator(epoch: epoch, lane: KeyAllocator.sharedLane) }
    }

    /// For each message what its parts carry: the one under way, if it is the same conversation and sender.
    func begin(_ messages: [IncomingMessage], _ names: [MessageName], now: WallTime) -> [Message] {
        state.withLock { state in
            messages.indices.map { state.begin(messages[$0], names[$0], now: now) }
        }
    }

    func end(_ names: [MessageName]) {
        state.withLock { state in
            for name in names {
                guard let known = state.messages.index(forKey: name) else { continue }
                if state.messages.values[known].calls == 1 {
                    state.messages.remove(at: known)
                } else {
                    state.messages.values[known].calls -= 1
                }
            }
        }
    }
}

extension IncomingMessage {
    fileprivate func isRepeat(of message: Message) -> Bool {
        conversation.id == message.conversation.id && sender.user == message.sender.user
    }
}

extension Message {
    fileprivate convenience init(_ incoming: IncomingMessage, key: MessageKey, now: WallTime) {
        self.init(
            key: key, id: incoming.id, conversation: incoming.conversation, sender: incoming.sender,
            countsUnread: incoming.countsUnread, wantsPush: incoming.wantsPush, sentAt: incoming.sentAt,
            expiresAt: incoming.expiresInSeconds.map { now + $0 * 1_000 },
            notification: incoming.notification, payload: incoming.payload,
            wantsWake: incoming.wantsWake)
    }
}
