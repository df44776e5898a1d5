import Domain
import Synchronization
import Testing

@testable import Engine

@Suite struct ShardStatusTests {
    private let lane = Lane()
    private let store = SlowStore()
    private let shard: ShardRunner
    private let inFlight = MessagesInFlight()

    init() {
        let tenants = TenantDirectory()
        tenants.put(Tenant(key: SlowStore.tenant, name: TenantID("acme"), policy: Policy()))
        shard = ShardRunner(
            number: 0, scheduler: lane, tenants: tenants, leaseGuard: LeaseGuard(disabledRules: .leaseFences),
            sender: NoSender(), zones: .utcOnly, onDefect: { _ in }, onFenced: {})
        shard.start(store, epoch: 1)
        lane.run()
    }

    private var open: ShardStatus { shard.status(at: lane.now()) }

    private func ingest() {
        let message = IncomingMessage(
            id: MessageID("m"),
            conversation: Message.Conversation(id: ConversationID("c"), kind: .direct),
            sender: Message.Sender(user: UserID("ann")), recipients: [SlowStore.user.user])
        let call = IngestCall([message], tenant: SlowStore.tenant, parts: 1, inFlight) { _ in }
        let shared = inFlight.begin([message], tenant: SlowStore.tenant, now: lane.now().wall)
        let part = IngestPart(
            call: call, index: 0, tenant: SlowStore.tenant, message: shared[0],
            recipients: [.init(user: SlowStore.user.user, mention: .none)])
        shard.submit(.ingest(part))
        lane.run()
    }

    private func apply() {
        shard.submit(.applied(SlowStore.user, SlowStore.device, 1) { _ in })
        lane.run()
    }

    private func commit() {
        store.commitWhatWaits()
        lane.run()
    }

    @Test func `a task is open, and its end not counted, until the end is committed`() {
        let applied = ShardCounters.OutcomeKey(outcome: .applied, reason: .none)
        ingest()
        commit()
        #expect(open.merging == 1 && open.ending == 0)
        apply()
        #expect(open.merging == 0 && open.ending == 1)
        #expect(open.counters.outcomes[applied] == nil)
        commit()
        #expect(open.merging == 0 && open.ending == 0)
        #expect(open.counters.outcomes[applied] == 1)
    }

    @Test func `what ends in the batch that answers an audit is in the tables by the answer`() {
        ingest()
        commit()
        let task = AuditedTask(
            user: SlowStore.user,
            task: TaskReference(user: UserKey(2), device: DeviceKey(3), seq: 1))
        let doubts = Mutex<[Int]>([])
        shard.submit([
            .applied(SlowStore.user, SlowStore.device, 1) { _ in },
            .audit([task]) { answer in doubts.withLock { $0.append((try? answer.get().count) ?? -1) } },
        ])
        lane.run()
        #expect(store.committing?.tasksEnded.count == 1)
        #expect(store.committing?.settles == true)
        #expect(doubts.withLock { $0 } == [])
        commit()
        #expect(doubts.withLock { $0 } == [1])
    }
}

/// Work of one shard, run when the test says so; time stands still.
private final class Lane: ShardScheduling {
    private let posted = Mutex<[@Sendable () -> Void]>([])

    func post(_ work: @escaping @Sendable () -> Void) { posted.withLock { $0.append(work) } }

    func wake(at instant: Instant, _ work: @escaping @Sendable () -> Void) {}

    func now() -> Moment {
        Moment(instant: Instant(milliseconds: 1_000), wall: WallTime(milliseconds: 1_700_000_000_000))
    }

    func assertOnExecutor() {}

    func random() -> UInt64 { 1 }

    func run() {
        while true {
            let works = posted.withLock { posted in
                defer { posted = [] }
                return posted
            }
            if works.isEmpty { return }
            for work in works { work() }
        }
    }
}

/// A store with one user, whose tablet is offline; a commit lasts until the test ends it.
private final class SlowStore: ShardStore {
    static let tenant = TenantKey(1)
    static let user = UserName(tenant: tenant, user: UserID("bob"))
    static let device = DeviceID("tablet")
    private(set) var committing: ChangeSet?
    private var waits: ((Result<Committed, StoreFailure>) -> Void)?

    func open(_ done: @escaping (Result<ShardOpening, StoreFailure>) -> Void) {
        done(.success(ShardOpening(usersToReadBack: [], wasDrained: false)))
    }

    func load(_ request: LoadRequest, _ done: @escaping (Result<LoadedBatch, StoreFailure>) -> Void) {
        var loaded = LoadedBatch()
        let then = WallTime(milliseconds: 1)
        let digest = TokenDigest(
            key: TokenKey(4), transport: .apns, environment: .production, registeredAt: then)
        let device = StoredDevice(
            key: DeviceKey(3), device: Self.device, appliedSeq: 0,
            profile: DeviceProfile(registeredAt: then, lastSeen: then), digest: [digest], tokens: [])
        loaded.users = [
            StoredUser(
                key: UserKey(2), name: Self.user,
                mailboxID: MailboxID(bytes: Array(repeating: 1, count: 16)), devices: [device])
        ]
        done(.success(loaded))
    }

    func commit(_ changes: ChangeSet, _ done: @escaping (Result<Committed, StoreFailure>) -> Void) {
        committing = changes
        waits = done
    }

    func commitWhatWaits() {
        waits?(.success(Committed()))
        waits = nil
    }

    func close() {}
}

private struct NoSender: PushSending {
    func send(_ requests: [PushRequest]) {}
}
