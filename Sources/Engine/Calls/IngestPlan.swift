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

    /// What comes to one shard.
    struct Share {
        /// Recipients.
        fileprivate(set) var weight = 0
        /// The place of its newest part.
        fileprivate var newest: Int?
    }

    private(set) var parts: [Part] = []
    /// By shard.
    private(set) var shares: [Share]

    init(_ messages: [IncomingMessage], tenant: TenantKey, shards: Int) {
        shares = Array(repeating: Share(), count: shards)
        parts.reserveCapacity(messages.count)
        for index in messages.indices {
            for user in messages[index].recipients {
                let shard = ShardMap.shard(of: UserName(tenant: tenant, user: user), count: shards)
                let recipient = IngestPart.Recipient(
                    user: user, mention: messages[index].mention(of: user))
                shares[shard].weight += 1
                if let part = shares[shard].newest, parts[part].message == index,
                    parts[part].recipients.count < Self.partSize
                {
                    parts[part].recipients.append(recipient)
                } else {
                    shares[shard].newest = parts.count
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
        var messages: [MessageName: Shared] = [:]
    }

    /// One that some requests bring at a time.
    private struct Shared {
        var message: Message?
        var calls = 0

        mutating func begin(_ incoming: IncomingMessage, _ keys: inout KeyAllocator, now: WallTime) -> Message
        {
            calls += 1
            guard let known = message else {
                let message = Message(incoming, key: keys.allot(), now: now)
                self.message = message
                return message
            }
            // A conflict: told apart by the shard, if the one under way is committed.
            return incoming.isRepeat(of: known) ? known : Message(incoming, key: known.key, now: now)
        }
    }

    private let state = Mutex(State())

    func begin(epoch: Int64) {
        state.withLock { $0.keys = KeyAllocator(epoch: epoch, lane: KeyAllocator.sharedLane) }
    }

    /// For each message what its parts carry: the one under way, if it is the same conversation and sender.
    func begin(_ messages: [IncomingMessage], tenant: TenantKey, now: WallTime) -> [Message] {
        state.withLock { state in
            messages.indices.map {
                let name = MessageName(tenant: tenant, message: messages[$0].id)
                return state.messages[name, default: Shared()].begin(messages[$0], &state.keys, now: now)
            }
        }
    }

    func end(_ names: some Sequence<MessageName>) {
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
