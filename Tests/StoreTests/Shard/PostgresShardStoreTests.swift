import Domain
import Engine
import Testing

@testable import EventLoop
@testable import Store

@Suite struct PostgresShardStoreTests {
    /// Bob, with a phone that has a token, and two entries of which one is an open task.
    private func bob(_ fixture: ShardFixture) -> ChangeSet {
        var changes = ChangeSet()
        let message = ShardFixture.message(100)
        changes.newUsers = [ShardFixture.user(10, "bob")]
        changes.messages = [MessageRow(tenant: ShardFixture.tenant, message: message)]
        changes.entries = [
            ShardFixture.entry(10, 1, .message(message, .user, countsUnread: true)),
            ShardFixture.entry(10, 2, .read(ConversationID("c-1"), through: 1, by: DeviceID("phone"))),
            ShardFixture.entry(10, 3, .recall(ConversationID("c-1"), MessageID("m-100"), of: 1)),
            ShardFixture.entry(
                10, 4, .settings(ConversationID("c-1"), isMuted: true, until: ShardFixture.now + 60_000)),
        ]
        changes.devices = [ShardFixture.device(20, of: 10, "phone")]
        changes.tokensAdded = [fixture.token(30, "fcm-bob-phone", device: 20, of: 10)]
        changes.digestsChanged = [DeviceKey(20): ShardFixture.now]
        changes.tasksMade = [ShardFixture.task(40, user: 10, device: 20, message: 100, seq: 1)]
        return changes
    }

    private func named(_ users: String...) -> LoadRequest {
        var request = LoadRequest()
        request.users = users.map { ShardFixture.name($0) }
        return request
    }

    @Test func `whom time alone concerns is found when the time has come, until the row goes`() async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = try await shard.open().get()
        var changes = bob(fixture)
        let due = ShardFixture.now + 60_000
        changes.wakes = [WakeRow(user: UserKey(10), at: due)]
        #expect(await shard.commit(changes) == nil)
        func wakes(dueBy time: WallTime) async throws -> [UserKey] {
            var request = LoadRequest()
            request.wakesDueBy = time
            return try await shard.load(request).get().wakes
        }
        #expect(try await wakes(dueBy: due + -1) == [])
        #expect(try await wakes(dueBy: due) == [UserKey(10)])
        for (at, found) in [(due + 5, [UserKey(10)]), (nil, [])] as [(WallTime?, [UserKey])] {
            var later = ChangeSet()
            later.wakes = [WakeRow(user: UserKey(10), at: at)]
            #expect(await shard.commit(later) == nil)
            #expect(try await wakes(dueBy: due) == [])
            #expect(try await wakes(dueBy: due + 5) == found)
        }
    }

    @Test func `settings come back as they were set last`() async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = await shard.open()
        #expect(await shard.commit(bob(fixture)) == nil)
        #expect(try await shard.load(named("bob")).get().users.first?.settings == UserSettings())
        for settings in [
            UserSettings(
                quietHours: QuietHours(start: 1_320, end: 0), timeZone: "Europe/Berlin", locale: "de"),
            UserSettings(timeZone: "UTC"), UserSettings(),
        ] {
            var changes = ChangeSet()
            changes.settings = [SettingsRow(user: UserKey(10), settings: settings)]
            #expect(await shard.commit(changes) == nil)
            #expect(try await shard.load(named("bob")).get().users.first?.settings == settings)
        }
    }

    @Test func `what was committed is loaded again, whole`() async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        let opening = try await shard.open().get()
        #expect(opening.usersToReadBack.isEmpty)
        #expect(opening.wasDrained)
        let changes = bob(fixture)
        #expect(await shard.commit(changes) == nil)

        let users = try await shard.load(named("bob", "nobody")).get().users
        #expect(users.count == 1)
        let user = try #require(users.first)
        #expect(user.key == UserKey(10))
        #expect(user.name == ShardFixture.name("bob"))
        #expect(user.mailboxID == changes.newUsers[0].mailboxID)
        #expect((user.firstSeq, user.checkpointSeq) == (1, 0))
        #expect(user.tail == changes.entries.map(\.entry.fact))
        let device = try #require(user.devices.first)
        #expect(device.device == DeviceID("phone"))
        #expect(device.profile == changes.devices[0].profile)
        #expect(device.tokens == changes.tokensAdded.map(\.token))
        #expect(device.digest == changes.tokensAdded.map(\.token.digest))
        let task = try #require(user.tasks.first)
        #expect(task.message == changes.messages[0].message)
        #expect(task.message.conversation == changes.messages[0].message.conversation)
        #expect(task.message.sender == changes.messages[0].message.sender)
        #expect((task.seq, task.attempts, task.mention) == (1, 0, .user))
        #expect(task.state == .held)
        #expect(task.dueAt == ShardFixture.now)
    }

    @Test func `two shards that write the same messages at the same time both commit`() async throws {
        let fixture = try await ShardFixture()
        let shards = [fixture.store(), fixture.store(shard: 1)]
        for shard in shards { _ = await shard.open() }
        for round in 0..<100 {
            var changes = ChangeSet()
            changes.messages = (0..<20).map {
                MessageRow(
                    tenant: ShardFixture.tenant, message: ShardFixture.message(Int64(round * 20 + $0)))
            }
            let made = changes
            async let one = shards[0].commit(made)
            async let other = shards[1].commit(made)
            #expect(await (one, other) == (nil, nil))
        }
        #expect(try await fixture.count("message") == 2_000)
    }

    @Test func `pages hold entries of all kinds, in order, up to the limit`() async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = await shard.open()
        let changes = bob(fixture)
        _ = await shard.commit(changes)
        var request = LoadRequest()
        let bob = ShardFixture.name("bob")
        request.pages = [
            PageRequest(user: bob, after: 0, limit: 200), PageRequest(user: bob, after: 1, limit: 2),
            PageRequest(user: ShardFixture.name("nobody"), after: 0, limit: 10),
        ]
        let pages = try await shard.load(request).get().pages
        let all = changes.entries.map(\.entry)
        #expect(pages == [all, Array(all[1...2]), []])
        guard case .message(let message, .user, true) = pages[0][0].change else {
            Issue.record("the first entry is a message")
            return
        }
        #expect(message.notification == changes.messages[0].message.notification)
        #expect(message.wantsWake == changes.messages[0].message.wantsWake)
        #expect(message.payload == changes.messages[0].message.payload)
        #expect(message.expiresAt == changes.messages[0].message.expiresAt)
    }

    @Test func `a known message tells who has it`() async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = await shard.open()
        _ = await shard.commit(bob(fixture))
        func probe(_ message: String, _ recipients: String...) -> MessageProbe {
            MessageProbe(
                name: MessageName(tenant: ShardFixture.tenant, message: MessageID(message)),
                recipients: recipients.map { UserID($0) })
        }
        var request = LoadRequest()
        request.messages = [probe("m-100", "bob", "carol"), probe("m-101", "bob")]
        let known = try await shard.load(request).get().messages
        #expect(known.count == 1)
        let message = try #require(known[request.messages[0].name])
        #expect(message.message.key == MessageKey(100))
        #expect(message.recipients == [UserID("bob"): 1])
    }

    @Test func `tasks move, end with their outcome, and are explained`() async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = await shard.open()
        _ = await shard.commit(bob(fixture))
        let task = TaskReference(user: UserKey(10), device: DeviceKey(20), seq: 1)
        var moved = ChangeSet()
        moved.tasksMoved = [
            TaskMove(task: task, state: .retrying, dueAt: ShardFixture.now + 5_000, attempts: 2)
        ]
        #expect(await shard.commit(moved) == nil)
        let stored = try await shard.load(named("bob")).get().users[0].tasks[0]
        #expect((stored.state, stored.attempts) == (.retrying, 2))
        #expect(stored.dueAt == ShardFixture.now + 5_000)

        var ended = ChangeSet()
        ended.tasksEnded = [task]
        ended.outcomes = [
            OutcomeRow(
                user: UserKey(10), device: DeviceKey(20), seq: 1, outcome: .notified, reason: .none,
                endedAt: ShardFixture.now, trace: Array("[]".utf8))
        ]
        ended.cursors = [
            CursorRow(device: DeviceKey(20), appliedSeq: 2, lastSeen: ShardFixture.now + 1)
        ]
        ended.checkpoints = [CheckpointRow(user: UserKey(10), throughSeq: 3, projection: [1, 2, 3])]
        #expect(await shard.commit(ended) == nil)
        let user = try await shard.load(named("bob")).get().users[0]
        #expect(user.tasks.isEmpty)
        #expect(user.devices[0].appliedSeq == 2)
        #expect((user.checkpointSeq, user.checkpoint) == (3, [1, 2, 3]))
        #expect(user.tail.map(\.seq) == [4])

        let directory = PostgresDirectoryStore(fixture.pool)
        let name = MessageName(tenant: ShardFixture.tenant, message: MessageID("m-100"))
        let explanation = try #require(try await directory.outcomes(of: name, user: UserID("bob")))
        #expect((explanation.seq, explanation.mention) == (1, .user))
        #expect(explanation.outcomes.map(\.outcome) == [.notified])
        #expect(explanation.outcomes.map(\.device) == [DeviceID("phone")])
        let other = MessageName(tenant: ShardFixture.tenant, message: MessageID("m-none"))
        #expect(try await directory.outcomes(of: other, user: UserID("bob")) == nil)
    }

    @Test func `where all duties are in memory a user comes without, and with all else`() async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = await shard.open()
        _ = await shard.commit(bob(fixture))
        var request = named("bob")
        let whole = try await shard.load(request).get().users[0]
        request.dutiesAreInMemory = true
        let user = try await shard.load(request).get().users[0]
        #expect(whole.tasks.count == 1)
        #expect(user.tasks.isEmpty)
        #expect(user.tail == whole.tail)
        #expect(user.devices.map(\.key) == whole.devices.map(\.key))
        #expect(user.devices.map(\.digest) == whole.devices.map(\.digest))
    }

    @Test func `a task that is made and ends in one batch leaves no row`() async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = await shard.open()
        var changes = bob(fixture)
        changes.tasksEnded = changes.tasksMade.map {
            TaskReference(user: $0.user, device: $0.device, seq: $0.seq)
        }
        #expect(!changes.tasksEnded.isEmpty)
        #expect(await shard.commit(changes) == nil)
        #expect(try await shard.load(named("bob")).get().users[0].tasks.isEmpty)
    }

    @Test func `opening lists the users with tasks, earliest due first, and whether the last owner drained`()
        async throws
    {
        let fixture = try await ShardFixture()
        let first = fixture.store()
        _ = await first.open()
        var changes = ChangeSet()
        changes.newUsers = (1...3).map { ShardFixture.user($0, "u\($0)") }
        changes.tasksMade = [
            ShardFixture.task(1, user: 1, device: 1, message: 1, seq: 1, due: 3_000),
            ShardFixture.task(2, user: 2, device: 2, message: 1, seq: 1, due: 1_000),
            ShardFixture.task(3, user: 3, device: 3, message: 1, seq: 1, due: 2_000),
            ShardFixture.task(4, user: 1, device: 4, message: 1, seq: 1, due: 9_000),
        ]
        #expect(await first.commit(changes) == nil)
        let second = fixture.store(epoch: 2)
        let crashed = try await second.open().get()
        #expect(crashed.usersToReadBack == [UserKey(2), UserKey(3), UserKey(1)])
        #expect(!crashed.wasDrained)
        var last = ChangeSet()
        last.marksDrained = true
        #expect(await second.commit(last) == nil)
        #expect(try await fixture.store(epoch: 3).open().get().wasDrained)
        #expect(try await fixture.store(shard: 1).open().get().usersToReadBack == [])
    }

    @Test func `a token held elsewhere, and a seq used twice, fail the whole transaction by name`()
        async throws
    {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = await shard.open()
        _ = await shard.commit(bob(fixture))
        var taken = ChangeSet()
        taken.devices = [ShardFixture.device(21, of: 10, "tablet")]
        taken.tokensAdded = [fixture.token(31, "fcm-bob-phone", device: 21, of: 10)]
        #expect(await shard.commit(taken) == .tokenTaken)
        #expect(try await fixture.count("device") == 1)

        var again = ChangeSet()
        again.entries = [ShardFixture.entry(10, 1, .read(ConversationID("c"), through: 1, by: nil))]
        let failure = await shard.commit(again)
        #expect(
            failure
                == .failed(
                    "insert_entries: 23505 duplicate key value violates unique constraint \"mailbox_entry_pkey\""
                ))

        var moved = ChangeSet()
        moved.tokensRemoved = [TokenKey(30)]
        moved.tokensAdded = [fixture.token(32, "fcm-bob-phone", device: 20, of: 10)]
        #expect(await shard.commit(moved) == nil)
        let holders = try await PostgresDirectoryStore(fixture.pool).tokenHolders(
            ShardFixture.tenant, lookups: [moved.tokensAdded[0].token.lookup, [1, 2]])
        #expect(holders.map(\.user) == [UserID("bob")])
    }
}
