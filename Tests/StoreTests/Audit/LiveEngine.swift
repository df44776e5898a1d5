import Domain
import Synchronization
import Wire

@testable import Engine
@testable import EventLoop
@testable import Store

/// The engine on a real database, with a sender that answers when the test says so.
final class LiveEngine: Sendable {
    static let shards = 2

    let fixture: ShardFixture
    let engine: Engine
    let sender = HeldSender()
    let tenants = TenantDirectory()
    let audits: PostgresAuditStore
    let follower: DigestFollower
    private let auditPool: PostgresPool
    private let loop: EventLoop
    private let epoch: Atomic<Int64>
    private let journal: JournalLimits

    /// `firstEpoch`: of the lease; each owner of one database has a higher one.
    /// `journal`: by default no table lags, so that a test may look at it.
    init(
        _ fixture: ShardFixture, policy: Policy = LiveEngine.policy, firstEpoch: Int64 = 1,
        journal: JournalLimits = .none
    ) async throws {
        self.journal = journal
        epoch = Atomic(firstEpoch - 1)
        self.fixture = fixture
        tenants.put(Tenant(key: ShardFixture.tenant, name: TenantID("demo"), policy: policy))
        let leaseGuard = LeaseGuard()
        leaseGuard.renewed(askedAt: TestTime.now().instant, durationMilliseconds: 86_400_000)
        let loop = EventLoop(label: "test.engine")
        self.loop = loop
        engine = Engine(
            schedulers: (0..<Self.shards).map { _ in LoopScheduler(loop) }, tenants: tenants,
            leaseGuard: leaseGuard, directory: PostgresDirectoryStore(fixture.pool), sender: sender,
            onFenced: {})
        var configuration = fixture.configuration
        configuration.settings = PostgresAuditStore.sessionSettings
        auditPool = PostgresPool(configuration, on: loop, size: 1)
        audits = PostgresAuditStore(auditPool)
        follower = DigestFollower(engine, PostgresDigestLogStore(auditPool))
        await start()
    }

    /// The private cluster's sessions are few.
    deinit {
        engine.stop {}
        auditPool.close()
        fixture.pool.close()
    }

    /// Due tasks go out at once, and nothing falls due because time passes.
    static var policy: Policy {
        var policy = Policy()
        policy.pushMergeWindow = 0
        policy.pushGraceWindow = 86_400_000
        policy.badgeSettleWindow = 86_400_000
        policy.callGrace = 86_400_000
        return policy
    }

    /// The process dies: nothing of it happens any more.
    func die() async {
        await withCheckedContinuation { done in engine.stop { done.resume() } }
    }

    /// As after a crash: the state in memory is gone. Returns once every shard has read everything back.
    func start() async {
        let (configuration, loop, journal) = (fixture.configuration, loop, journal)
        let epoch = epoch.add(1, ordering: .relaxed).newValue
        engine.start(epoch: epoch) {
            PostgresShardStore(shard: $0, epoch: epoch, configuration, on: loop, journal: journal)
        }
        while await !isOpen { await Task.yield() }
    }

    private var isOpen: Bool {
        get async {
            await withCheckedContinuation { done in
                engine.status { shards in
                    done.resume(returning: shards.allSatisfy { $0.isOpen && $0.readBackRemaining == 0 })
                }
            }
        }
    }

    /// A round of the audit, from the rows and the shards as they are now; `moment`: of the auditor's clock,
    /// if that is to stand still.
    func audit(rowsPerPage: Int = 1_000, at moment: Moment? = nil) async throws -> AuditStatus {
        var settings = Auditor.Settings()
        settings.rowsPerPage = rowsPerPage
        let auditor = Auditor(engine, audits, settings, TestTime(standing: moment)) { _ in }
        try await auditor.round()
        return engine.audit.status
    }

    // MARK: What happens

    private static func caller(_ device: String) -> DeviceCaller {
        DeviceCaller(device: DeviceID(device), credentialIssuedAt: TestTime.now().wall)
    }

    func register(_ user: String, _ device: String, token: String?, accounts: Set<UserID> = []) async throws {
        let tokens = token.map { [fixture.sealer.seal(.fcm($0), tenant: ShardFixture.tenant)] } ?? []
        _ = try await engine.register(
            ShardFixture.name(user), DeviceID(device), Registration(tokens: tokens, accounts: accounts)
        ).get()
    }

    func send(
        _ id: String, to users: String..., from sender: String = "alice", wantsPush: Bool = true
    ) async {
        let message = IncomingMessage(
            id: MessageID(id), conversation: Message.Conversation(id: ConversationID("c-1"), kind: .group),
            sender: Message.Sender(user: UserID(sender)), recipients: users.map { UserID($0) },
            wantsPush: wantsPush)
        await withCheckedContinuation { done in
            engine.ingest(tenant: ShardFixture.tenant, [message]) { _ in done.resume() }
        }
    }

    func applied(_ user: String, _ device: String, _ seq: MailboxSeq) async throws {
        try await ask { self.engine.applied(ShardFixture.name(user), seq, as: Self.caller(device), $0) }
    }

    func read(_ user: String, through seq: MailboxSeq) async throws {
        _ = try await ask {
            self.engine.read(
                ShardFixture.name(user), .conversation(ConversationID("c-1"), through: seq), by: nil, $0)
        }
    }

    func signOut(_ user: String, _ device: String) async throws {
        try await ask { self.engine.signOut(ShardFixture.name(user), as: Self.caller(device), $0) }
    }

    /// Returns once the device's connection stands.
    func connect(_ user: String, _ device: String) async -> LinkHandle {
        let sink = SilentLink()
        let handle = engine.connect(
            ShardFixture.name(user), as: Self.caller(device), resume: .head, sink: sink)
        await sink.welcomed()
        return handle
    }

    /// What the shard would tell an operator; also: everything before it is committed.
    func states(_ user: String) async throws -> [String] {
        try await ask { self.engine.tasks(ShardFixture.name(user), of: nil, $0) }.map(\.state).sorted()
    }

    /// Between two batches of the shard.
    func onShard(
        _ shard: ShardRunner, _ change: @escaping @Sendable (ShardRunner) -> Void
    ) async {
        await withCheckedContinuation { done in
            shard.scheduler.post {
                change(shard)
                done.resume()
            }
        }
    }

    func ask<Value: Sendable>(
        _ call: (@escaping Reply<Value>) -> Void
    ) async throws -> Value {
        try await withCheckedContinuation { done in call { done.resume(returning: $0) } }.get()
    }
}

/// Keeps requests until they are answered.
final class HeldSender: PushSending {
    private struct State {
        var requests: [PushRequest] = []
        var waiting: [(count: Int, done: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    func send(_ requests: [PushRequest]) {
        let ready = state.withLock { state in
            state.requests += requests
            let ready = state.waiting.filter { $0.count <= state.requests.count }
            state.waiting.removeAll { $0.count <= state.requests.count }
            return ready
        }
        for waiter in ready { waiter.done.resume() }
    }

    /// All requests so far, once there are that many.
    func requests(_ count: Int) async -> [PushRequest] {
        await withCheckedContinuation { done in
            let isThere = state.withLock { state in
                if state.requests.count >= count { return true }
                state.waiting.append((count, done))
                return false
            }
            if isThere { done.resume() }
        }
        return state.withLock { $0.requests }
    }
}

/// A connection that takes what comes and says nothing.
final class SilentLink: DeviceLink {
    private enum State {
        case new
        case waited(CheckedContinuation<Void, Never>)
        case welcomed
    }

    private let state = Mutex(State.new)

    func welcomed() async {
        await withCheckedContinuation { done in
            let isWelcomed = state.withLock { state in
                if case .welcomed = state { return true }
                state = .waited(done)
                return false
            }
            if isWelcomed { done.resume() }
        }
    }

    func welcome(_ welcome: Welcome) {
        let former = state.withLock { state in
            defer { state = .welcomed }
            return state
        }
        if case .waited(let done) = former { done.resume() }
    }

    func page(_ entries: [MailboxEntry], isLast: Bool) {}
    func deliver(_ entries: [MailboxEntry]) {}
    func show(_ conversations: [ConversationDelta], _ badge: BadgeState?, at seq: MailboxSeq) {}
    func ring(_ call: Call) {}
    func callEnded(_ call: CallID, reason: String) {}
    func resume() {}
    func refuse(code: String, detail: String) {}
    func close(_ reason: LinkClose) {}
}

/// The machine's clocks, or one that stands; pauses take no time.
struct TestTime: Auditor.Clock {
    var standing: Moment?

    static func now() -> Moment {
        Moment(
            instant: Instant(milliseconds: MonotonicClock.nowMilliseconds()),
            wall: WallTime(milliseconds: WallClock.now()))
    }

    func now() -> Moment { standing ?? Self.now() }
    func pause(milliseconds: Int64) async throws { await Task.yield() }
}

/// An event loop as the executor of a shard.
private final class LoopScheduler: ShardScheduling {
    private final class Alarm {
        var token: TimerToken?
    }

    private let loop: EventLoop
    private let alarm: LoopBound<Alarm>
    private let generator = Mutex(SystemRandomNumberGenerator())

    init(_ loop: EventLoop) {
        self.loop = loop
        alarm = LoopBound(sending: Alarm(), to: loop)
    }

    func post(_ work: @escaping @Sendable () -> Void) { loop.post(work) }

    func wake(at instant: Instant, _ work: @escaping @Sendable () -> Void) {
        let alarm = alarm.value
        if let token = alarm.token { loop.timers.cancel(token) }
        let delay = max(0, instant.milliseconds - MonotonicClock.nowMilliseconds())
        alarm.token = loop.timers.arm(afterMilliseconds: Int(delay)) {
            alarm.token = nil
            work()
        }
    }

    func now() -> Moment { TestTime.now() }
    func assertOnExecutor() { loop.assertOnLoop() }
    func random() -> UInt64 { generator.withLock { $0.next() } }
}
