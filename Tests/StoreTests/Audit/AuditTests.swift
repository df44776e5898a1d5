import Domain
import Synchronization
import Testing

@testable import Engine
@testable import EventLoop
@testable import Store

/// The audit of PD-1 over the engine and a real database: silent about
/// whatever is in order, and loud about what is not.
@Suite(.serialized) struct AuditTests {
    @Test func `a message held, retried, in flight, notified, applied or read is in order`() async throws {
        let live = try await LiveEngine(ShardFixture())
        for user in ["held", "retried", "flying", "notified", "applied", "read"] {
            try await live.register(user, "phone", token: "\(user)-phone")
        }
        let link = await live.connect("held", "phone")
        await live.send("m-1", to: "held", "retried", "flying", "notified", "applied", "read")
        let requests = await live.sender.requests(5)
        for request in requests {
            switch request.user.text {
            case "retried": report(request, .retry(afterMilliseconds: 600_000), live)
            case "notified": report(request, .accepted, live)
            default: break
            }
        }
        try await live.applied("applied", "phone", 1)
        try await live.read("read", through: 1)
        let status = try await live.audit()
        #expect(try await live.states("held") == ["held"])
        #expect(try await live.states("retried") == ["retrying"])
        #expect(try await live.states("flying") == ["in_flight"])
        #expect(status.violations == 0)
        #expect(status.rounds == 1)
        #expect(status.last?.entries == 7)
        #expect(status.last?.tasks ?? 0 >= 4)
        link.closed(.gone)
    }

    @Test func `who may not, can not, need not or did not yet have to be woken is in order`() async throws {
        let live = try await LiveEngine(ShardFixture())
        try await live.register("bob", "mute-phone", token: nil)
        try await live.register("bob", "leaver", token: "bob-leaver")
        try await live.register("bob", "dying", token: "bob-dying")
        await live.send("own", to: "bob", from: "bob")
        await live.send("quiet", to: "bob", wantsPush: false)
        await live.send("m-1", to: "bob")
        let requests = await live.sender.requests(2)
        let dying = try #require(requests.first { $0.draft.device == DeviceID("dying") })
        report(dying, .tokenDead(since: nil), live)
        try await live.signOut("bob", "leaver")
        await live.send("m-2", to: "bob")
        try await live.register("bob", "leaver", token: "bob-leaver-again")
        try await live.register("bob", "newcomer", token: "bob-newcomer")
        await live.send("m-3", to: "bob")
        _ = await live.sender.requests(3)
        let status = try await live.audit()
        #expect(status.violations == 0)
        #expect(status.last?.entries == 5)
    }

    @Test func `a restart of the shards loses no track of open tasks`() async throws {
        let live = try await LiveEngine(ShardFixture())
        for number in 1...9 { try await live.register("u-\(number)", "phone", token: "t-\(number)") }
        for number in 1...9 { await live.send("m-\(number)", to: "u-\(number)") }
        _ = await live.sender.requests(9)
        await live.start()
        let status = try await live.audit(rowsPerPage: 4)
        #expect(status.violations == 0)
        #expect(status.last?.tasks == 9)
    }

    @Test func `a task that vanished from its table is counted, until its entry is applied`() async throws {
        let live = try await LiveEngine(ShardFixture())
        try await live.register("bob", "phone", token: "bob-phone")
        await live.send("m-1", to: "bob")
        await live.send("m-2", to: "bob")
        _ = await live.sender.requests(1)
        #expect(try await live.audit().violations == 0)
        let delete = Query(name: "lose", sql: "delete from push_task where mailbox_seq = 2")
        _ = try await live.fixture.pool.execute(delete)
        let status = try await live.audit()
        #expect(status.violations == 1)
        #expect(status.violations(of: .missing) == 1)
        try await live.applied("bob", "phone", 2)
        #expect(try await live.audit().violations == 0)
    }

    @Test func `a server that lets an online device speak for the others is counted`() async throws {
        var policy = LiveEngine.policy
        policy.disabledRules = [.eachDeviceDecides]
        let live = try await LiveEngine(ShardFixture(), policy: policy)
        for device in ["phone", "tablet"] {
            try await live.register("bob", device, token: "bob-\(device)")
        }
        let link = await live.connect("bob", "phone")
        for number in 1...3 { await live.send("m-\(number)", to: "bob") }
        let status = try await live.audit()
        #expect(status.violations(of: .missing) == 3)
        link.closed(.gone)
    }

    @Test func `a server that takes PUSHED for a proof is counted`() async throws {
        var policy = LiveEngine.policy
        policy.disabledRules = [.pushedIsNoProof]
        let live = try await LiveEngine(ShardFixture(), policy: policy)
        try await live.register("bob", "phone", token: "bob-phone")
        let link = await live.connect("bob", "phone")
        await live.send("m-1", to: "bob")
        link.pushed(through: 1)
        #expect(try await live.states("bob").isEmpty)
        #expect(try await live.audit().violations == 1)
        link.closed(.gone)
    }

    @Test func `a server that keeps waiting for closed connections is counted`() async throws {
        var policy = LiveEngine.policy
        policy.disabledRules = [.closeReleasesHolds]
        let live = try await LiveEngine(ShardFixture(), policy: policy)
        try await live.register("bob", "phone", token: "bob-phone")
        let link = await live.connect("bob", "phone")
        await live.send("m-1", to: "bob")
        link.closed(.gone)
        #expect(try await live.states("bob").isEmpty)
        #expect(try await live.audit().violations(of: .forgotten) == 1)
    }

    @Test(arguments: [
        (Outcome.notified, OutcomeReason.none, 0), (.applied, .none, 1), (.suppressed, .muted, 0),
        (.suppressed, .none, 1), (.dropped, .expired, 0), (.cancelled, .read, 0), (.cancelled, .none, 1),
    ]) func `an outcome counts as one only with a reason, and applied only by its cursor`(
        outcome: Outcome, reason: OutcomeReason, violations: Int
    ) async throws {
        let live = try await LiveEngine(ShardFixture())
        try await live.register("bob", "phone", token: "bob-phone")
        await live.send("m-1", to: "bob")
        _ = await live.sender.requests(1)
        let task = try #require(try await live.audits.openTasks(after: nil, limit: 10).first).task
        var changes = ChangeSet()
        changes.tasksEnded = [task]
        changes.outcomes = [
            OutcomeRow(
                user: task.user, device: task.device, seq: task.seq, outcome: outcome, reason: reason,
                endedAt: TestTime.now().wall, trace: Array("[]".utf8))
        ]
        try await live.write(changes)
        #expect(try await live.audit().violations == violations)
    }

    @Test(arguments: [("10 minutes", 1), ("10 seconds", 0)])
    func `a device that could be woken all along is not excused by a rule that says it could not`(
        age: String, violations: Int
    ) async throws {
        let live = try await LiveEngine(ShardFixture())
        try await live.register("bob", "phone", token: "bob-phone")
        await live.send("m-1", to: "bob")
        _ = await live.sender.requests(1)
        let task = try #require(try await live.audits.openTasks(after: nil, limit: 10).first).task
        var changes = ChangeSet()
        changes.tasksEnded = [task]
        changes.outcomes = [
            OutcomeRow(
                user: task.user, device: task.device, seq: task.seq, outcome: .suppressed,
                reason: .notWakeable, endedAt: TestTime.now().wall, trace: Array("[]".utf8))
        ]
        try await live.write(changes)
        let older = Query(
            name: "older",
            sql: "update device_token_digest set changed_at = now() - ($1::text)::interval")
        _ = try await live.fixture.pool.execute(older) { $0.text(age) }
        #expect(try await live.audit().violations == violations)
    }

    @Test func `a task that its shard has forgotten is counted`() async throws {
        let live = try await LiveEngine(ShardFixture())
        try await live.register("bob", "phone", token: "bob-phone")
        await live.send("m-1", to: "bob")
        _ = await live.sender.requests(1)
        let shard = live.engine.shard(of: ShardFixture.name("bob"))
        await live.onShard(shard) { $0.users[ShardFixture.name("bob")] = nil }
        let status = try await live.audit()
        #expect(status.violations == 1)
        #expect(status.violations(of: .forgotten) == 1)
    }

    @Test func `a task that nothing will move is counted`() async throws {
        let live = try await LiveEngine(ShardFixture())
        try await live.register("bob", "phone", token: "bob-phone")
        await live.send("m-1", to: "bob")
        _ = await live.sender.requests(1)
        let shard = live.engine.shard(of: ShardFixture.name("bob"))
        // The request is gone, and no answer will come.
        await live.onShard(shard) { $0.flights = FlightTable() }
        let status = try await live.audit()
        #expect(status.violations(of: .stuck) == 1)
    }

    @Test(arguments: [1, 3, 1_000])
    func `a round looks at every entry once, however its pages fall`(rowsPerPage: Int) async throws {
        let live = try await LiveEngine(ShardFixture())
        try await live.register("bob", "phone", token: "bob-phone")
        for number in 1...25 { await live.send("m-\(number)", to: "bob") }
        _ = await live.sender.requests(1)
        let lose = Query(name: "lose", sql: "delete from push_task where mailbox_seq in (2, 25)")
        _ = try await live.fixture.pool.execute(lose)
        let status = try await live.audit(rowsPerPage: rowsPerPage)
        #expect(status.last?.entries == 25)
        #expect(status.violations(of: .missing) == 2)
    }

    @Test func `a round outlives a database that is away for a while, and counts nothing twice`() async throws
    {
        let live = try await LiveEngine(ShardFixture())
        try await live.register("bob", "phone", token: "bob-phone")
        for number in 1...5 { await live.send("m-\(number)", to: "bob") }
        _ = await live.sender.requests(1)
        let lose = Query(name: "lose", sql: "delete from push_task where mailbox_seq = 5")
        _ = try await live.fixture.pool.execute(lose)
        let flaky = FlakyAudits(live.audits)
        let auditor = Auditor(live.engine, flaky, Auditor.Settings(), TestTime()) { _ in }
        try await auditor.round()
        let status = live.engine.audit.status
        #expect(status.last?.entries == 5)
        #expect(status.last?.tasks == 4)
        #expect(status.violations == 1)
    }

    @Test func `what is reported names ids, and not more than so many a round`() async throws {
        let live = try await LiveEngine(ShardFixture())
        try await live.register("bob", "phone", token: "bob-phone")
        for number in 1...5 { await live.send("m-\(number)", to: "bob") }
        _ = await live.sender.requests(1)
        _ = try await live.fixture.pool.execute(Query(name: "lose", sql: "delete from push_task"))
        let (reports, sink) = AsyncStream.makeStream(of: AuditViolation.self)
        var settings = Auditor.Settings()
        settings.reportsPerRound = 2
        let auditor = Auditor(live.engine, live.audits, settings, TestTime()) { sink.yield($0) }
        try await auditor.round()
        sink.finish()
        var reported: [AuditViolation] = []
        for await violation in reports { reported.append(violation) }
        #expect(reported.count == 2)
        #expect(reported.allSatisfy { $0.device == DeviceID("phone") && $0.user == ShardFixture.name("bob") })
        #expect(live.engine.audit.status.violations == 5)
    }

    private func report(_ request: PushRequest, _ verdict: PushVerdict, _ live: LiveEngine) {
        let answer = ProviderAnswer(status: 200, reason: "")
        live.engine.report([PushReport(request: request.id, verdict: verdict, answer: answer)])
    }
}

extension LiveEngine {
    /// What stands in the tables without any shard's doing.
    fileprivate func write(_ changes: ChangeSet) async throws {
        var batch = StatementBatch(.transaction)
        batch.append(changes, JournalPage(changes), shard: 0)
        _ = try await fixture.pool.execute(batch)
    }
}

/// Away at every second question.
private final class FlakyAudits: AuditStore {
    private let audits: PostgresAuditStore
    private let asked = Atomic<Int>(0)

    init(_ audits: PostgresAuditStore) { self.audits = audits }

    private func fail() throws(StoreFailure) {
        if !asked.add(1, ordering: .relaxed).newValue.isMultiple(of: 2) { throw .unavailable("away") }
    }

    func prepareRound() async throws(StoreFailure) { try await audits.prepareRound() }

    func auditEntries(_ span: AuditSpan) async throws(StoreFailure) -> AuditedEntries {
        try fail()
        return try await audits.auditEntries(span)
    }

    func openTasks(
        after place: TaskReference?, limit: Int
    ) async throws(StoreFailure) -> [AuditedTask] {
        try fail()
        return try await audits.openTasks(after: place, limit: limit)
    }

    func stillOpen(
        _ tasks: [AuditedTask]
    ) async throws(StoreFailure) -> [(AuditedTask, DeviceID)] {
        try fail()
        return try await audits.stillOpen(tasks)
    }
}
