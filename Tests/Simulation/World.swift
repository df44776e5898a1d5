import Domain
import Synchronization

@testable import Engine

/// What may go wrong in a world.
struct Faults {
    var databaseFails = 0
    var crashes = 0
    var providerRefuses = 0
    var channelFaults = 0
    var tokensDie = 0
    /// Another process takes tokens away, beside the server.
    var tokensTaken = 0
    var providerDelay: Int64 = 40

    static let none = Faults()
    static let crashesOnly = Faults(crashes: 8)
    static let all = Faults(
        databaseFails: 3, crashes: 2, providerRefuses: 10, channelFaults: 10, tokensDie: 3,
        tokensTaken: 20,
        providerDelay: 3_000)
}

/// One seeded world: users with several devices, a server that may crash, a database
/// that may be away, providers that may refuse; and what must hold whatever happens.
final class World {
    static let shards = 2

    let clockwork: Clockwork
    let database = Database()
    var faults: Faults
    var isDatabaseAway = false
    private(set) var violations: [String] = []
    private(set) var clients: [SimulatedClient] = []
    private(set) var engine: Engine
    private let tenants = TenantDirectory()
    private let leaseGuard = LeaseGuard()
    private let tenant: Tenant
    private var lease: Int64 = 0
    private var crashes = 0
    private(set) var crashedAt: [Int64] = []
    private var nextMessage = 0
    private var sent: [String] = []
    /// Per task: how often a provider accepted a push for it.
    private var notified: [Database.TaskID: Int] = [:]
    private var requestedAt: [Database.TaskID: Int64] = [:]
    lazy var provider = SimulatedProvider(self)

    init(seed: UInt64, faults: Faults, mergeWindow: Int64? = nil) {
        clockwork = Clockwork(seed: seed)
        self.faults = faults
        var policy = Policy()
        policy.pushMergeWindow = mergeWindow ?? clockwork.generator.pick([0, 5_000])
        // What the limits drop would hide what this world looks for.
        policy.pushRatePerUserPerMinute = 1_000_000
        policy.pushRatePerConversationPerMinute = 1_000_000
        tenant = Tenant(key: TenantKey(1), name: TenantID("demo"), policy: policy)
        tenants.put(tenant)
        leaseGuard.renewed(askedAt: Instant(milliseconds: 0), durationMilliseconds: .max / 8)
        engine = Engine(
            schedulers: [SimulatedExecutor(clockwork)], tenants: tenants, leaseGuard: leaseGuard,
            directory: NoDirectory(), sender: NoSender(), onFenced: {})
        start()
        for user in ["ann", "ben", "cho"] {
            for device in ["phone", "tablet", "desk"] {
                let name = UserName(tenant: tenant.key, user: UserID(user))
                clients.append(SimulatedClient(self, name, DeviceID(device)))
            }
        }
        for client in clients where clockwork.generator.chance(80) { register(client) }
        clockwork.advance(50)
    }

    func shard(of user: UserKey) -> Int? {
        database.users[user].map { ShardMap.shard(of: $0.name, count: Self.shards) }
    }

    var mergeWindow: Int64 { tenant.policy.pushMergeWindow }

    private func start() {
        clockwork.epoch += 1
        lease += 1
        engine = Engine(
            schedulers: (0..<Self.shards).map { _ in SimulatedExecutor(clockwork) }, tenants: tenants,
            leaseGuard: leaseGuard, directory: NoDirectory(), sender: provider, onFenced: {})
        let made = UncheckedBox(self)
        engine.start(epoch: lease) { SimulatedStore(made.value, shard: $0) }
    }

    // MARK: - What happens

    /// One random event, then a little time.
    func step() {
        let client = clockwork.generator.pick(clients)
        switch Int.random(in: 0..<100, using: &clockwork.generator) {
        case 0..<30: sendMessage()
        case 30..<45: client.isConnected ? client.apply() : client.connect()
        case 45..<55: client.connect()
        case 55..<65: client.disconnect()
        case 65..<80: client.apply()
        case 80..<85: client.read()
        case 85..<90: register(client)
        case 90..<92: signOut(client)
        case 92..<94: toggleDatabase()
        case 94..<96: if clockwork.generator.chance(faults.crashes * 10) { crash() }
        case 96: deploy()
        case 97: if clockwork.generator.chance(faults.tokensTaken) { takeTokens() }
        case 98..<100: configure()
        default: break
        }
        let pauses: [Int64] = [0, 0, 1, 5, 20, 200, 1_000, 3_100, 9_000, 18_500]
        clockwork.advance(clockwork.generator.pick(pauses))
        if clockwork.generator.chance(50) { followDigests() }
        checkTables()
    }

    private func takeTokens() {
        let key = database.devices.keys.sorted().randomElement(using: &clockwork.generator)
        guard let key, let user = database.devices[key].flatMap({ database.users[$0.row.user] }) else {
            return
        }
        let shard = ShardMap.shard(of: user.name, count: Self.shards)
        database.takeTokens(of: key, shard: shard)
    }

    private func followDigests() {
        for shard in 0..<Self.shards { engine.followDigests(shard: shard) }
    }

    private func sendMessage() {
        let repeats = !sent.isEmpty && clockwork.generator.chance(15)
        if !repeats { nextMessage += 1 }
        let id = repeats ? clockwork.generator.pick(sent) : "m-\(nextMessage)"
        if !repeats { sent.append(id) }
        let users = ["ann", "ben", "cho"].filter { _ in clockwork.generator.chance(60) }
        // The conversation and sender of an id never change.
        let number = id.utf8.reduce(0) { $0 + Int($1) }
        let message = IncomingMessage(
            id: MessageID(id),
            conversation: Message.Conversation(id: ConversationID("c-\(number % 3)"), kind: .group),
            sender: Message.Sender(user: UserID("ann")),
            recipients: (users.isEmpty ? ["ben"] : users).map { UserID($0) })
        engine.ingest(tenant: tenant.key, [message]) { _ in }
    }

    private func register(_ client: SimulatedClient) {
        let number = clockwork.generator.next()
        let token = UnkeyedToken(
            transport: clockwork.generator.chance(70) ? .apns : .fcm, environment: .production,
            sealed: [1], keyID: "k", lookup: Array(String(number).utf8), topic: "t")
        let tokens = clockwork.generator.chance(90) ? [token] : []
        engine.shard(of: client.user).submit([
            .register(client.user, client.device, Registration(tokens: tokens)) { _ in }
        ])
    }

    private func configure() {
        let client = clockwork.generator.pick(clients)
        let isMuted = clockwork.generator.chance(70)
        let wait: Int64? =
            clockwork.generator.chance(70) ? clockwork.generator.pick([500, 5_000, 40_000]) : nil
        let until = wait.map { clockwork.moment.wall + $0 }
        let conversation = ConversationID("c-\(Int.random(in: 0..<3, using: &clockwork.generator))")
        engine.configure(client.user, conversation, isMuted: isMuted, until: isMuted ? until : nil) { _ in }
    }

    private func signOut(_ client: SimulatedClient) {
        client.logOut()
    }

    private func toggleDatabase() {
        guard faults.databaseFails > 0 else { return }
        isDatabaseAway.toggle()
    }

    func fails() -> Bool { isDatabaseAway || clockwork.generator.chance(faults.databaseFails) }

    private func crash() {
        crashes += 1
        crashedAt.append(clockwork.now)
        start()
        for client in clients { client.forgetConnection() }
    }

    /// A planned stop and a new process: what is held keeps its deadline, and nobody is rung early.
    private func deploy() {
        let epoch = clockwork.epoch
        let world = UncheckedBox(self)
        for client in clients { client.drained() }
        engine.drain {
            let world = world.value
            world.clockwork.schedule(after: 0, epoch: nil) {
                guard world.clockwork.epoch == epoch else { return }
                // Who came while it was stopping never got in.
                for client in world.clients { client.forgetConnection(isDrained: true) }
                world.start()
            }
        }
        // A stop that takes too long, because a provider or the database does not answer, is a crash.
        clockwork.schedule(after: 10_000, epoch: nil) {
            if self.clockwork.epoch == epoch { self.crash() }
        }
    }

    /// All faults end, and time enough passes for every duty to be done.
    func heal() {
        faults = Faults.none
        isDatabaseAway = false
        for _ in 0..<60 {
            clockwork.advance(10_000)
            followDigests()
        }
        clockwork.advance(10_000)
        checkTables()
    }

    func verdict() -> PushVerdict {
        if clockwork.generator.chance(faults.channelFaults) { return .channelFault }
        if clockwork.generator.chance(faults.tokensDie) { return .tokenDead(since: nil) }
        if clockwork.generator.chance(faults.providerRefuses) {
            return clockwork.generator.pick([.retry(afterMilliseconds: nil), .rejected])
        }
        return .accepted
    }

    func check(_ holds: Bool, _ what: @autoclosure () -> String) {
        if !holds { violations.append("at \(clockwork.now): \(what())") }
    }
}

extension World {
    // MARK: - What must hold

    /// A request is about to leave: its badge is the fold of what is committed, and it is not early.
    func judge(_ request: PushRequest) {
        guard let user = database.keys[UserName(tenant: tenant.key, user: request.user)] else {
            return check(false, "a push for a user who is not stored")
        }
        let badge = database.badge(of: user)
        check(
            request.draft.badge == badge.totalUnread && request.draft.badgeRevision == badge.projectionSeq,
            "badge \(request.draft.badge) at \(request.draft.badgeRevision), fold \(badge)")
        for task in tasks(of: request, user) {
            if requestedAt[task] == nil { requestedAt[task] = clockwork.now }
            judgeEarliness(task, request)
        }
    }

    /// PUSHED does not cancel, but while the connection lives it is waited for: 18 s from the first write.
    private func judgeEarliness(_ task: Database.TaskID, _ request: PushRequest) {
        guard
            let client = clients.first(where: {
                $0.user.user == request.user && $0.device == request.draft.device
            }),
            let welcomed = client.welcomedAt, let written = client.writtenAt[task.seq],
            let materialised = database.entries[task.user]?[Int(task.seq) - 1].materialisedAt,
            welcomed < materialised.milliseconds - clockwork.wallOffset, crashes == 0,
            faults.databaseFails == 0
        else { return }
        check(
            clockwork.now >= written + 18_000
                || written > materialised.milliseconds - clockwork.wallOffset + 3_000,
            "a push \(clockwork.now - written) ms after the first write of \(task.seq)")
    }

    /// The tasks a request stands for: those of its conversation that were open and due.
    private func tasks(of request: PushRequest, _ user: UserKey) -> [Database.TaskID] {
        let flight = engine.shard(of: UserName(tenant: tenant.key, user: request.user)).flights[
            request.id.number]
        return (flight?.seqs ?? []).map {
            Database.TaskID(user: user, device: flight?.device ?? DeviceKey(0), seq: $0)
        }
    }

    func accepted(_ request: PushRequest) {
        guard let user = database.keys[UserName(tenant: tenant.key, user: request.user)] else { return }
        for task in tasks(of: request, user) { notified[task, default: 0] += 1 }
    }

    /// PD-1 in the tables: for each message entry and each device that was
    /// wakeable when it was committed, there is a task or a recorded outcome.
    /// Devices that came, went or changed in that transaction are left out.
    func committed(_ changes: ChangeSet, before: Set<DeviceKey>) {
        let changed = Set(changes.devices.map(\.key))
        for row in changes.entries {
            guard case .message(let message, _, _) = row.entry.change,
                message.sender.user != database.users[row.user]?.name.user
            else { continue }
            for device in database.devices.values
            where device.row.user == row.user && before.contains(device.row.key)
                && !changed.contains(device.row.key) && !device.row.profile.isSignedOut
            {
                let id = Database.TaskID(user: row.user, device: device.row.key, seq: row.entry.seq)
                let outcome = database.outcomes[id]
                check(
                    database.tasks[id] != nil || outcome != nil,
                    "PD-1: \(device.row.device) has neither task nor outcome for \(row.entry.seq)")
                let isWakeable = !device.tokens.isEmpty
                let isMuted = database.isMuted(message.conversation.id, of: row.user, through: row.entry.seq)
                check(
                    !isMuted || database.tasks[id] == nil,
                    "\(device.row.device) has a task for \(row.entry.seq) of a muted conversation")
                check(
                    !isWakeable || isMuted || outcome != .suppressed,
                    "PD-1: \(device.row.device) can be woken for \(row.entry.seq), and no rule forbids it")
            }
        }
    }

    func checkTables() {
        violations += database.violations
        for (task, count) in notified {
            check(count <= 1 + crashes, "\(count) notifications for one task \(task)")
        }
    }

    /// In a world where nothing fails, every push leaves when PD-1 says, give or take the
    /// merge window and the few milliseconds of a batch and of the request before it.
    func checkDeadlines() {
        for (task, requested) in requestedAt {
            guard let row = database.devices[task.device]?.row, let user = database.users[task.user],
                let client = clients.first(where: { $0.user == user.name && $0.device == row.device }),
                let entry = database.entries[task.user]?[Int(task.seq) - 1],
                let due = client.deadline(
                    of: task.seq, materialisedAt: entry.materialisedAt.milliseconds - clockwork.wallOffset)
            else { continue }
            check(
                requested >= due - 100 && requested <= due + mergeWindow + 1_000,
                "\(row.device) was woken for \(task.seq) \(requested - due) ms after it was due")
        }
    }

    /// What the shards decide by is what the log says, whoever wrote it.
    private func checkDigests() {
        for shard in engine.shards {
            check(
                shard.digestPlace.value == database.digests.heads[shard.number] ?? 0,
                "shard \(shard.number) has not followed")
            for device in shard.users.values.flatMap(\.user.devices) {
                check(
                    Set(device.tokens) == database.digests.tokens(of: device.key),
                    "\(device.id) is decided for by an old digest")
            }
        }
    }

    /// After the healing: no duty is open, and what was applied was truly applied.
    func checkSettled() {
        checkDigests()
        check(database.tasks.isEmpty, "\(database.tasks.count) tasks are still open: \(database.tasks.keys)")
        for (task, outcome) in database.outcomes {
            guard let row = database.devices[task.device]?.row, let user = database.users[task.user] else {
                continue
            }
            let client = clients.first { $0.user == user.name && $0.device == row.device }
            switch outcome {
            case .applied:
                check((client?.appliedSeq ?? 0) >= task.seq, "\(row.device) never applied \(task.seq)")
            case .notified: check(notified[task] != nil, "\(task) was never accepted")
            case .suppressed, .dropped, .cancelled: break
            }
        }
        for (user, log) in database.entries {
            let conversations = Set(log.map(\.fact.change.conversation))
            for conversation in conversations where database.isMuted(conversation, of: user, through: .max) {
                guard
                    case .settings(_, _, let until?)? = log.last(where: { $0.isSettings(of: conversation) })?
                        .change
                else { continue }
                check(until > clockwork.moment.wall, "a mute of \(user) in \(conversation) never ended")
            }
            check(log.map(\.seq) == Array(1...Int64(log.count)), "a gap in the mailbox of \(user)")
        }
    }
}

extension MailboxEntry {
    fileprivate func isSettings(of conversation: ConversationID) -> Bool {
        if case .settings(conversation, _, _) = change { true } else { false }
    }
}

/// `@unchecked Sendable`: a world never leaves the thread of its test.
private final class UncheckedBox<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

private struct NoSender: PushSending {
    func send(_ requests: [PushRequest]) {}
}
