import Domain
import Engine
import Wire

@testable import EventLoop
@testable import Store

/// A migrated database with one tenant and its shards, and what tests write into it.
struct ShardFixture {
    static let tenant = TenantKey(1)
    static let now = WallTime(milliseconds: 1_796_000_000_000)

    let configuration: PostgresConfiguration
    let loop = EventLoop(label: "test.shard")
    let pool: PostgresPool
    let sealer = TokenSealer(MasterKey(bytes: SecureRandom.bytes(count: 32)))

    init() async throws {
        try await self.init(TestCluster.freshDatabase())
    }

    /// In a database that has been migrated.
    init(_ configuration: PostgresConfiguration) async throws {
        self.configuration = configuration
        pool = PostgresPool(configuration, on: loop, size: 2)
        _ = try await ShardTable.prepare(preferredCount: 4, pool)
        let directory = PostgresDirectoryStore(pool)
        _ = try await directory.createTenant(
            StoredTenant(
                key: Self.tenant, name: TenantID("demo"), policy: Array("{}".utf8), createdAt: Self.now))
    }

    /// - Parameter journal: by default no table lags, so that a test may look at it.
    func store(shard: Int = 0, epoch: Int64 = 1, journal: JournalLimits = .none) -> TestShard {
        TestShard(
            PostgresShardStore(shard: shard, epoch: epoch, configuration, on: loop, journal: journal), loop)
    }

    func count(_ table: String) async throws -> Int64 {
        let query = Query(name: "count_\(table)", sql: "select count(*) from \(table)")
        return try await pool.execute(query).first { $0.int8() } ?? -1
    }

    func texts(_ sql: String) async throws -> [String] {
        try await pool.execute(Query(name: "texts_\(abs(sql.hashValue))", sql: sql)).map { $0.text() }
    }

    func run(_ sql: String) async throws {
        _ = try await pool.execute(Query(name: "run_\(abs(sql.hashValue))", sql: sql))
    }

    // MARK: What is written

    static func name(_ user: String) -> UserName { UserName(tenant: tenant, user: UserID(user)) }

    static func user(_ key: Int64, _ name: String) -> UserRow {
        UserRow(
            key: UserKey(key), name: self.name(name),
            mailboxID: MailboxID(bytes: [UInt8](repeating: 9, count: 16)))
    }

    static func message(_ key: Int64, id: String? = nil, e2ee: Bool = false) -> Message {
        Message(
            key: MessageKey(key), id: MessageID(id ?? "m-\(key)"),
            conversation: Message.Conversation(
                id: ConversationID("c-1"), kind: .group, name: "Friends", memberCount: 12,
                isEndToEndEncrypted: e2ee),
            sender: Message.Sender(user: UserID("alice"), name: "Alice", device: DeviceID("a-phone")),
            sentAt: now, expiresAt: now + 86_400_000, notification: Array(#"{"body":"hi"}"#.utf8),
            payload: Array("[1,2]".utf8), wantsWake: key % 2 == 0)
    }

    static func entry(_ user: Int64, _ seq: Int64, _ change: MailboxEntry.Change) -> EntryRow {
        EntryRow(user: UserKey(user), entry: MailboxEntry(seq: seq, materialisedAt: now, change: change))
    }

    static func device(_ key: Int64, of user: Int64, _ name: String) -> DeviceRow {
        DeviceRow(
            key: DeviceKey(key), user: UserKey(user), device: DeviceID(name), appliedSeq: 0,
            profile: DeviceProfile(locale: "zh-Hans", registeredAt: now, lastSeen: now))
    }

    func token(_ key: Int64, _ text: String, device: Int64, of user: Int64) -> TokenRow {
        let sealed = sealer.seal(.fcm(text), tenant: Self.tenant)
        let digest = TokenDigest(
            key: TokenKey(key), transport: sealed.transport, environment: sealed.environment,
            registeredAt: Self.now)
        return TokenRow(
            user: UserKey(user), tenant: Self.tenant, device: DeviceKey(device),
            token: SealedToken(
                digest: digest, sealed: sealed.sealed, keyID: sealed.keyID, lookup: sealed.lookup,
                topic: sealed.topic))
    }

    static func task(_ key: Int64, user: Int64, device: Int64, message: Int64, seq: Int64, due: Int64 = 0)
        -> TaskRow
    {
        TaskRow(
            key: TaskKey(key), user: UserKey(user), device: DeviceKey(device), message: MessageKey(message),
            mention: .user, seq: seq, state: .held, materialisedAt: now, dueAt: now + due)
    }
}

/// A shard's store, asked from a task.
struct TestShard: Sendable {
    private let store: LoopBound<PostgresShardStore>
    private let loop: EventLoop

    init(_ store: sending PostgresShardStore, _ loop: EventLoop) {
        self.store = LoopBound(sending: store, to: loop)
        self.loop = loop
    }

    func open() async -> Result<ShardOpening, StoreFailure> {
        await withCheckedContinuation { done in
            loop.post { [store] in store.value.open { done.resume(returning: $0) } }
        }
    }

    func load(_ request: LoadRequest) async -> Result<LoadedBatch, StoreFailure> {
        await withCheckedContinuation { done in
            loop.post { [store] in store.value.load(request) { done.resume(returning: $0) } }
        }
    }

    func commit(_ changes: ChangeSet) async -> StoreFailure? {
        await withCheckedContinuation { done in
            loop.post { [store] in
                store.value.commit(changes) { result in
                    if case .failure(let failure) = result {
                        done.resume(returning: failure)
                    } else {
                        done.resume(returning: nil)
                    }
                }
            }
        }
    }

    func close() {
        loop.post { [store] in store.value.close() }
    }
}

extension JournalLimits {
    /// Every transaction is written to its tables at once.
    static let none = JournalLimits(rows: 0)
    /// What may wait does, until something else is the reason to write it.
    static let waiting = JournalLimits(milliseconds: 3_600_000, rows: 1_000)
}
