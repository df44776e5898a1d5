import Engine
import Testing

@testable import Domain
@testable import EventLoop
@testable import Store

/// What the pushes of a user have left, and messages that were taken back.
@Suite struct PushRecordStoreTests {
    private let c1 = ConversationID("c-1")

    /// Two users with the message `m-100`, both of shard 0.
    private func changes() -> ChangeSet {
        var changes = ChangeSet()
        let message = ShardFixture.message(100)
        changes.newUsers = [ShardFixture.user(10, "bob"), ShardFixture.user(11, "carol")]
        changes.messages = [MessageRow(tenant: ShardFixture.tenant, message: message)]
        changes.entries = [10, 11].map {
            ShardFixture.entry($0, 1, .message(message, .user, countsUnread: true))
        }
        return changes
    }

    /// Of a device that shows these entries.
    private static func recordShowing(_ seqs: [MailboxSeq]) -> [UInt8] {
        let entries = seqs.map { NotifiedEntry(seq: $0, mention: .none, message: nil) }
        var device = DeviceRecord()
        device.banners = [
            Banner(ConversationID("c-1"), oldestMessage: MessageID("m-100"), entries: entries)
        ]
        let remembered = PushRecord.Remembered(key: DeviceKey(20), record: device)
        return PushRecord(devices: [remembered]).encoded()
    }

    @Test func `a record comes back with the messages that a cover may show anew`() async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = try await shard.open().get()
        let showing = Self.recordShowing([1])
        var changes = changes()
        changes.records = [
            RecordRow(user: UserKey(10), isOwed: true, record: showing),
            RecordRow(user: UserKey(11), isOwed: true, record: []),
        ]
        #expect(await shard.commit(changes) == nil)
        var later = ChangeSet()
        later.records = [RecordRow(user: UserKey(11), isOwed: true, record: showing)]
        #expect(await shard.commit(later) == nil)
        later.records = [RecordRow(user: UserKey(11), isOwed: false, record: [9], isFirst: false)]
        #expect(await shard.commit(later) == nil)
        var request = LoadRequest()
        request.users = [ShardFixture.name("bob")]
        request.userKeys = [UserKey(11)]
        let users = try await shard.load(request).get().users
        let records = users.map(\.record)
        #expect(records.map { $0?.record } == [showing, [9]])
        #expect(records.map { $0?.isOwed } == [true, false])
        #expect(records[0]?.messages.mapValues(\.id) == [1: MessageID("m-100")])
        #expect(records[0]?.messages[1]?.payload == [])
        #expect(try await shard.open().get().usersToReadBack == [UserKey(10)])
    }

    @Test func `a recall finds each mailbox that has the message and not its recall`() async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = try await shard.open().get()
        #expect(await shard.commit(changes()) == nil)
        let name = MessageName(tenant: ShardFixture.tenant, message: MessageID("m-100"))
        var request = LoadRequest()
        request.recalls = [name]
        let targets = try await shard.load(request).get().recallTargets[name] ?? []
        #expect(targets.map(\.user) == [ShardFixture.name("bob"), ShardFixture.name("carol")])
        #expect(targets.map(\.seq) == [1, 1])
        #expect(targets.map(\.conversation) == [c1, c1])
        var recalled = ChangeSet()
        recalled.entries = [ShardFixture.entry(10, 2, .recall(c1, MessageID("m-100"), of: 1))]
        #expect(await shard.commit(recalled) == nil)
        let rest = try await shard.load(request).get().recallTargets[name] ?? []
        #expect(rest.map(\.user) == [ShardFixture.name("carol")])
        #expect(try await fixture.store(shard: 1).open().map { _ in 0 }.get() == 0)
    }

    @Test func `a tombstone is seen by later ingests, whether or not the message was known`() async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = try await shard.open().get()
        #expect(await shard.commit(changes()) == nil)
        let directory = PostgresDirectoryStore(fixture.pool)
        let known = MessageName(tenant: ShardFixture.tenant, message: MessageID("m-100"))
        let unknown = MessageName(tenant: ShardFixture.tenant, message: MessageID("m-later"))
        #expect(try await directory.recall(known, at: ShardFixture.now))
        #expect(try await directory.recall(known, at: ShardFixture.now))
        #expect(try await directory.recall(unknown, at: ShardFixture.now) == false)
        var request = LoadRequest()
        request.messages = [known, unknown].map { MessageProbe(name: $0, recipients: [UserID("bob")]) }
        request.messages.append(
            MessageProbe(
                name: MessageName(tenant: ShardFixture.tenant, message: MessageID("m-other")),
                recipients: []))
        #expect(try await shard.load(request).get().recalled == [known, unknown])
    }
}
