package import Domain
import Synchronization

/// A validated message on its way in.
package struct IncomingMessage: Sendable {
    package var id: MessageID
    package var conversation: Message.Conversation
    package var sender: Message.Sender
    /// Without duplicates.
    package var recipients: [UserID]
    package var mentionedUsers: Set<UserID>
    package var mentionsAll: Bool
    package var countsUnread: Bool
    package var wantsPush: Bool
    package var wantsWake: Bool
    package var sentAt: WallTime?
    package var expiresInSeconds: Int64?
    package var notification: [UInt8]
    package var payload: [UInt8]

    package init(
        id: MessageID, conversation: Message.Conversation, sender: Message.Sender, recipients: [UserID],
        mentionedUsers: Set<UserID> = [], mentionsAll: Bool = false, countsUnread: Bool = true,
        wantsPush: Bool = true, sentAt: WallTime? = nil, expiresInSeconds: Int64? = nil,
        notification: [UInt8] = [], payload: [UInt8] = [], wantsWake: Bool = false
    ) {
        self.id = id
        self.conversation = conversation
        self.sender = sender
        self.recipients = recipients
        self.mentionedUsers = mentionedUsers
        self.mentionsAll = mentionsAll
        self.countsUnread = countsUnread
        self.wantsPush = wantsPush
        self.wantsWake = wantsWake
        self.sentAt = sentAt
        self.expiresInSeconds = expiresInSeconds
        self.notification = notification
        self.payload = payload
    }

    func mention(of user: UserID) -> Mention {
        if mentionedUsers.contains(user) { return .user }
        return mentionsAll ? .all : .none
    }
}

package enum IngestResult: Equatable, Sendable {
    /// Committed. `isDuplicate`: nothing was new; `tasks`: tasks made, holds included.
    case accepted(isDuplicate: Bool, recipients: Int, tasks: Int)
    case refused(Refusal)
    /// An earlier message of the conversation, in the same request, failed in a way that a repeat may mend.
    case blocked
}

/// Gathers the answers of the shards to one request; replies once, when the last has come.
package final class IngestCall: Sendable {
    private struct State {
        var parts: Int
        var messages: [Progress]
    }

    private struct Progress {
        let name: MessageName
        let conversation: ConversationID
        let recipients: Int
        var new = 0
        var tasks = 0
        var refusal: Refusal?
    }

    private let state: Mutex<State>
    private let inFlight: MessagesInFlight
    private let reply: @Sendable ([IngestResult]) -> Void

    init(
        _ messages: [IncomingMessage], tenant: TenantKey, parts: Int, _ inFlight: MessagesInFlight,
        _ reply: @escaping @Sendable ([IngestResult]) -> Void
    ) {
        let progress = messages.map {
            Progress(
                name: MessageName(tenant: tenant, message: $0.id), conversation: $0.conversation.id,
                recipients: $0.recipients.count)
        }
        state = Mutex(State(parts: parts, messages: progress))
        self.inFlight = inFlight
        self.reply = reply
    }

    /// One part is settled.
    func settle(_ message: Int, new: Int, tasks: Int, refusal: Refusal? = nil) {
        let settled = state.withLock { state -> [Progress]? in
            state.messages[message].new += new
            state.messages[message].tasks += tasks
            if let refusal { state.messages[message].refusal = refusal }
            state.parts -= 1
            return state.parts == 0 ? state.messages : nil
        }
        guard let settled else { return }
        inFlight.end(settled.lazy.map(\.name))
        reply(Self.results(settled))
    }

    private static func results(_ messages: [Progress]) -> [IngestResult] {
        var broken: Set<ConversationID> = []
        return messages.map { message in
            if broken.contains(message.conversation) { return .blocked }
            guard let refusal = message.refusal else {
                return .accepted(
                    isDuplicate: message.new == 0, recipients: message.recipients, tasks: message.tasks)
            }
            if refusal != .conflict { broken.insert(message.conversation) }
            return .refused(refusal)
        }
    }
}
