import Domain
import Engine
import Testing

@testable import EventLoop
@testable import Store

/// Calls, legs, rings and counts in Postgres.
@Suite struct CallStoreTests {
    private static let now = ShardFixture.now

    private static func call(_ key: Int64, _ id: String, caller: String = "alice", data: String = "") -> Call
    {
        Call(
            key: CallKey(key), id: CallID(id), caller: Call.Caller(user: UserID(caller), name: "Alice"),
            isVideo: true, conversation: ConversationID("c-1"), data: Array(data.utf8), startedAt: now,
            expiresAt: now + 30_000)
    }

    private static func name(_ id: String) -> CallName {
        CallName(tenant: ShardFixture.tenant, call: CallID(id))
    }

    private static func ring(
        _ device: Int64, _ state: StoredRingState, end: CallRing.End? = nil, day: Int64? = nil
    ) -> RingRow {
        RingRow(
            user: UserKey(10), call: CallKey(50), device: DeviceKey(device), state: state, at: now + 1_000,
            attempts: 2, chargedDay: day, end: end, trace: Array("[]".utf8))
    }

    /// Bob with two devices, and a call that rings at them.
    private func ringing() -> ChangeSet {
        var changes = ChangeSet()
        changes.newUsers = [ShardFixture.user(10, "bob")]
        changes.devices = [
            ShardFixture.device(20, of: 10, "phone"), ShardFixture.device(21, of: 10, "tablet"),
        ]
        changes.calls.calls = [
            CallRow(tenant: ShardFixture.tenant, call: Self.call(50, "k-1", data: #"{"room":1}"#))
        ]
        changes.calls.legs = [
            LegRow(user: UserKey(10), call: CallKey(50), state: .ringing, changedAt: Self.now)
        ]
        changes.calls.rings = [
            Self.ring(20, .offered),
            Self.ring(21, .over, end: CallRing.End(.dropped, .quotaExceeded), day: 7),
        ]
        changes.calls.counts = [VoIPCountRow(device: DeviceKey(20), count: VoIPCount(day: 20_000, used: 3))]
        return changes
    }

    private func load(_ shard: TestShard, call: String? = nil) async throws -> LoadedBatch {
        var request = LoadRequest()
        request.users = [ShardFixture.name("bob")]
        if let call {
            request.calls = [CallProbe(name: Self.name(call), users: [UserID("bob"), UserID("x")])]
        }
        return try await shard.load(request).get()
    }

    @Test func `what rings is loaded again, whole, and its user is read back first`() async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = try await shard.open().get()
        #expect(await shard.commit(ringing()) == nil)
        var later = ChangeSet()
        later.newUsers = [ShardFixture.user(9, "ann")]
        later.messages = [MessageRow(tenant: ShardFixture.tenant, message: ShardFixture.message(100))]
        later.tasksMade = [ShardFixture.task(40, user: 9, device: 22, message: 100, seq: 1, due: -60_000)]
        #expect(await shard.commit(later) == nil)

        let user = try #require(try await load(shard).users.first)
        let leg = try #require(user.calls.first)
        let call = ringing().calls.calls[0].call
        #expect(user.calls.count == 1 && leg.call == call && leg.call.id == call.id)
        #expect(leg.call.caller == call.caller && leg.call.isVideo && leg.call.data == call.data)
        #expect(leg.call.conversation == call.conversation && leg.call.expiresAt == call.expiresAt)
        #expect(leg.rings.map(\.device) == [DeviceKey(20), DeviceKey(21)])
        #expect(leg.rings.map(\.state) == [.offered, .over])
        #expect(leg.rings[0].at == Self.now + 1_000 && leg.rings[0].attempts == 2 && leg.rings[0].end == nil)
        #expect(leg.rings[1].end == CallRing.End(.dropped, .quotaExceeded) && leg.rings[1].chargedDay == 7)
        #expect(user.devices.map(\.voIPCount) == [VoIPCount(day: 20_000, used: 3), nil])
        shard.close()
        #expect(try await fixture.store(epoch: 2).open().get().usersToReadBack == [UserKey(10), UserKey(9)])
    }

    @Test func `a known call tells of its legs, and how many devices it reaches`() async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = try await shard.open().get()
        #expect(try await load(shard, call: "k-1").calls.isEmpty)
        #expect(await shard.commit(ringing()) == nil)
        let known = try #require(try await load(shard, call: "k-1").calls[Self.name("k-1")])
        #expect(known.call.key == CallKey(50) && known.cancelled == nil)
        #expect(known.legs.keys.map(\.text) == ["bob"])
        #expect(known.legs[UserID("bob")]?.state == .ringing && known.legs[UserID("bob")]?.devices == 1)
    }

    static let ends: [CallLeg.State] = [
        .answered(by: DeviceID("phone")), .cancelled(reason: "hung_up"), .expired,
    ]

    @Test(arguments: ends)
    func `a leg that has ended stays so, is loaded no more, and is still known`(
        _ end: CallLeg.State
    ) async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = try await shard.open().get()
        #expect(await shard.commit(ringing()) == nil)
        for state in [end, .ringing] {
            var changes = ChangeSet()
            changes.calls.legs = [
                LegRow(user: UserKey(10), call: CallKey(50), state: state, changedAt: Self.now)
            ]
            changes.calls.rings = [
                Self.ring(
                    20, state == .ringing ? .due : .over, end: state == .ringing ? nil : .init(.applied))
            ]
            #expect(await shard.commit(changes) == nil)
        }
        let loaded = try await load(shard, call: "k-1")
        #expect(loaded.users.first?.calls.isEmpty == true)
        #expect(loaded.calls[Self.name("k-1")]?.legs[UserID("bob")]?.state == end)
        shard.close()
        #expect(try await fixture.store(epoch: 2).open().get().usersToReadBack == [])
    }

    @Test func `two shards that meet at one call write one row`() async throws {
        let fixture = try await ShardFixture()
        let (first, second) = (fixture.store(shard: 0), fixture.store(shard: 1))
        _ = try await first.open().get()
        _ = try await second.open().get()
        #expect(await first.commit(ringing()) == nil)
        var other = ringing()
        other.newUsers = [ShardFixture.user(11, "carol")]
        other.devices = []
        other.calls.rings = []
        other.calls.counts = []
        other.calls.legs = [
            LegRow(user: UserKey(11), call: CallKey(50), state: .ringing, changedAt: Self.now)
        ]
        #expect(await second.commit(other) == nil)
        #expect(try await fixture.count("call") == 1)
        #expect(try await fixture.count("call_leg") == 2)
    }

    @Test func `cancelling is remembered, and tells who has the call`() async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = try await shard.open().get()
        let directory = PostgresDirectoryStore(fixture.pool)
        let (bob, name) = (UserID("bob"), Self.name("k-1"))
        #expect(try await directory.cancelCall(name, reason: "x", callee: nil) == nil)
        #expect(await shard.commit(ringing()) == nil)
        #expect(try await directory.cancelCall(name, reason: "x", callee: UserID("eve")) == nil)
        #expect(try await directory.cancelCall(name, reason: "busy", callee: bob) == [bob])
        #expect(try await load(shard, call: "k-1").calls[name]?.cancelled == nil)
        #expect(try await directory.cancelCall(name, reason: "hung_up", callee: nil) == [bob])
        #expect(try await directory.cancelCall(name, reason: "later", callee: nil) == [bob])
        #expect(try await load(shard, call: "k-1").calls[name]?.cancelled == "hung_up")
    }

    @Test func `what belongs to a user that is gone is not written, and hurts nobody`() async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = try await shard.open().get()
        var changes = ringing()
        changes.newUsers = []
        changes.devices = []
        #expect(await shard.commit(changes) == nil)
        #expect(try await fixture.count("call_leg") == 0)
        #expect(try await fixture.count("call_ring") == 0)
    }

    @Test func `old calls are forgotten with all they had, young ones stay`() async throws {
        let fixture = try await ShardFixture()
        let shard = fixture.store()
        _ = try await shard.open().get()
        #expect(await shard.commit(ringing()) == nil)
        try await CallRetention.maintain(now: Self.now + 60_000, keepSeconds: 30, fixture.pool)
        #expect(try await fixture.count("call_ring") == 2)
        try await CallRetention.maintain(now: Self.now + 60_001, keepSeconds: 30, fixture.pool)
        for table in ["call", "call_leg", "call_ring"] { #expect(try await fixture.count(table) == 0) }
    }
}
