import Domain
import Synchronization
import Testing

@testable import Engine

@Suite struct IngestTests {
    private func message(_ id: String, in conversation: String, to recipients: Int = 1) -> IncomingMessage {
        IncomingMessage(
            id: MessageID(id),
            conversation: Message.Conversation(id: ConversationID(conversation), kind: .group),
            sender: Message.Sender(user: UserID("ann")),
            recipients: (0..<recipients).map { UserID("user-\($0)") })
    }

    private func begin(
        _ messages: [IncomingMessage], parts: Int, _ reply: @escaping @Sendable ([IngestResult]) -> Void
    ) -> IngestCall {
        IngestCall(messages, tenant: TenantKey(1), parts: parts, MessagesInFlight(), reply)
    }

    @Test func `the reply comes once, when the last part is settled`() {
        let replies = Mutex<[[IngestResult]]>([])
        let call = begin([message("m", in: "c", to: 3)], parts: 2) { result in
            replies.withLock { $0.append(result) }
        }
        call.settle(0, new: 2, tasks: 2)
        #expect(replies.withLock { $0.isEmpty })
        call.settle(0, new: 1, tasks: 0)
        #expect(replies.withLock { $0 } == [[.accepted(isDuplicate: false, recipients: 3, tasks: 2)]])
    }

    @Test func `after a failure that a repeat may mend, later messages of the conversation are blocked`() {
        let replies = Mutex<[IngestResult]>([])
        let messages = [message("1", in: "a"), message("2", in: "a"), message("3", in: "b")]
        let call = begin(messages, parts: 3) { result in replies.withLock { $0 = result } }
        call.settle(0, new: 0, tasks: 0, refusal: .unavailable)
        call.settle(1, new: 1, tasks: 1)
        call.settle(2, new: 0, tasks: 0)
        #expect(
            replies.withLock { $0 } == [
                .refused(.unavailable), .blocked, .accepted(isDuplicate: true, recipients: 1, tasks: 0),
            ])
    }

    @Test func `a conflict blocks nothing`() {
        let replies = Mutex<[IngestResult]>([])
        let call = begin([message("1", in: "a"), message("2", in: "a")], parts: 2) { result in
            replies.withLock { $0 = result }
        }
        call.settle(0, new: 0, tasks: 0, refusal: .conflict)
        call.settle(1, new: 1, tasks: 1)
        #expect(replies.withLock { $0 }.last == .accepted(isDuplicate: false, recipients: 1, tasks: 1))
    }

    @Test func `a large group is split into parts, each recipient in one of them and in its own shard`() {
        let plan = IngestPlan([message("m", in: "c", to: 5_000)], tenant: TenantKey(1), shards: 4)
        #expect(plan.parts.allSatisfy { $0.recipients.count <= IngestPlan.partSize })
        #expect(plan.shares.reduce(0) { $0 + $1.weight } == 5_000)
        var seen: Set<UserID> = []
        for part in plan.parts {
            for recipient in part.recipients {
                let name = UserName(tenant: TenantKey(1), user: recipient.user)
                #expect(ShardMap.shard(of: name, count: 4) == part.shard)
                #expect(seen.insert(recipient.user).inserted)
            }
        }
        #expect(seen.count == 5_000)
    }
}
