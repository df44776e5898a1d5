import Domain
import Testing

@testable import Engine
@testable import EventLoop
@testable import Store

/// A call outlives the process that took it: the engine on a real database, killed and started anew.
@Suite(.serialized) struct CallRecoveryTests {
    private static func voIP(_ hex: String) -> PlainToken { .apnsVoIP(hex: hex, topic: "app", .production) }

    private func register(_ live: LiveEngine, _ user: String, _ token: PlainToken) async throws {
        let sealed = live.fixture.sealer.seal(token, tenant: ShardFixture.tenant)
        _ = try await live.engine.register(
            ShardFixture.name(user), DeviceID("phone"), Registration(tokens: [sealed])
        ).get()
    }

    private func ring(_ live: LiveEngine, _ id: String, _ callees: String...) async -> RingResult {
        let call = IncomingCall(
            id: CallID(id), caller: Call.Caller(user: UserID("alice"), name: "Alice"),
            callees: callees.map { UserID($0) }, data: Array(#"{"room":1}"#.utf8), ttlSeconds: 600)
        return await withCheckedContinuation { done in
            live.engine.ring(tenant: ShardFixture.tenant, call) { done.resume(returning: $0) }
        }
    }

    private func state(_ live: LiveEngine, _ user: String, _ id: String) async throws -> CallLeg.State {
        try await live.ask { live.engine.call(ShardFixture.name(user), CallID(id), $0) }.state
    }

    private func count(_ live: LiveEngine, _ condition: String) async throws -> Int64 {
        let query = Query(
            name: "count_rings_\(condition.hashValue)",
            sql: "select count(*) from call_ring where \(condition)")
        return try await live.fixture.pool.execute(query).first { $0.int8() } ?? -1
    }

    @Test func `after a crash a call that rings is read back and rung, once more and no longer`() async throws
    {
        let fixture = try await ShardFixture()
        let killed = try await LiveEngine(fixture)
        try await register(killed, "bob", Self.voIP("aa"))
        #expect(await ring(killed, "k-1", "bob") == .accepted(isDuplicate: false, devices: 1))
        let first = await killed.sender.requests(1)[0]

        await killed.die()
        let next = try await LiveEngine(fixture, firstEpoch: 2)
        let again = await next.sender.requests(1)[0]
        #expect(again.draft.content == first.draft.content && again.token == first.token)
        next.engine.report([
            PushReport(
                request: again.id, verdict: .accepted, answer: ProviderAnswer(status: 200, reason: ""))
        ])
        #expect(await ring(next, "k-1", "bob") == .accepted(isDuplicate: true, devices: 1))
        #expect(try await count(next, "state = 4 and outcome = 1 and charged_day is not null") == 1)

        await next.die()
        let last = try await LiveEngine(fixture, firstEpoch: 3)
        #expect(try await state(last, "bob", "k-1") == .ringing)
        #expect(await ring(last, "k-1", "bob") == .accepted(isDuplicate: true, devices: 1))
        // What comes next is another call: the first was not rung a third time.
        try await register(last, "eve", Self.voIP("ee"))
        _ = await ring(last, "k-2", "eve")
        #expect(await last.sender.requests(1)[0].user == UserID("eve"))
        withExtendedLifetime((killed, next)) {}
    }

    @Test func `what was cancelled while nobody owned the data does not ring again`() async throws {
        let fixture = try await ShardFixture()
        let killed = try await LiveEngine(fixture)
        try await register(killed, "bob", Self.voIP("aa"))
        _ = await ring(killed, "k-1", "bob")
        let name = CallName(tenant: ShardFixture.tenant, call: CallID("k-1"))
        #expect(await killed.engine.cancelCall(name, reason: "hung_up", callee: nil).isSuccess)
        #expect(try await state(killed, "bob", "k-1") == .cancelled(reason: "hung_up"))
        await killed.die()
        let next = try await LiveEngine(fixture, firstEpoch: 2)
        #expect(try await state(next, "bob", "k-1") == .cancelled(reason: "hung_up"))
        #expect(await ring(next, "k-1", "bob", "eve") == .accepted(isDuplicate: false, devices: 0))
        #expect(try await state(next, "eve", "k-1") == .cancelled(reason: "hung_up"))
        withExtendedLifetime(killed) {}
    }

    @Test func `the quota of the day outlives the process`() async throws {
        var policy = LiveEngine.policy
        policy.rtcVoIPPushDailyQuota = 1
        let fixture = try await ShardFixture()
        let killed = try await LiveEngine(fixture, policy: policy)
        try await register(killed, "bob", Self.voIP("aa"))
        _ = await ring(killed, "k-1", "bob")
        _ = await killed.sender.requests(1)
        await killed.die()
        let next = try await LiveEngine(fixture, policy: policy, firstEpoch: 2)
        #expect(await ring(next, "k-2", "bob") == .accepted(isDuplicate: false, devices: 0))
        let reason = OutcomeReason.quotaExceeded.rawValue
        #expect(try await count(next, "outcome = 4 and reason = \(reason)") == 1)
        withExtendedLifetime(killed) {}
    }

    @Test func `a call to users of several shards is one call, with one answer`() async throws {
        let live = try await LiveEngine(ShardFixture())
        let users = (1...12).map { "u-\($0)" }
        for user in users { try await register(live, user, Self.voIP("aa" + user.dropFirst(2))) }
        let call = IncomingCall(
            id: CallID("k-1"), caller: Call.Caller(user: UserID("alice")), callees: users.map { UserID($0) },
            ttlSeconds: 600)
        let result = await withCheckedContinuation { done in
            live.engine.ring(tenant: ShardFixture.tenant, call) { done.resume(returning: $0) }
        }
        #expect(result == .accepted(isDuplicate: false, devices: 12))
        #expect(try await live.fixture.count("call") == 1)
        #expect(Set(await live.sender.requests(12).map(\.user.text)) == Set(users))
        var other = call
        other.caller = Call.Caller(user: UserID("mallory"))
        let refused = await withCheckedContinuation { done in
            live.engine.ring(tenant: ShardFixture.tenant, other) { done.resume(returning: $0) }
        }
        #expect(refused == .refused(.callConflict))
    }
}

extension Result where Success == Void {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
