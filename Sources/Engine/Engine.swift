package import Domain
import Synchronization

/// The engine's face: calls of backends, devices and operators go in, to the shard of their user;
/// replies come back on that shard's executor, after the commit that makes them true. Any thread.
package final class Engine: Sendable {
    package let tenants: TenantDirectory
    package let leaseGuard: LeaseGuard
    package let zones: TimeZones
    /// The name of this process, as presence and status show it.
    package let node: String
    /// What the audit of PD-1 finds.
    package let audit = AuditRecord()
    /// How far the shards are behind the digest log.
    package let digestLag = DigestLagRecord()
    let shards: [ShardRunner]
    let directory: any DirectoryStore
    private let scheduler: any ShardScheduling
    private let messagesInFlight = MessagesInFlight()
    let callsInFlight = CallsInFlight()
    private let nextConnection = Atomic<UInt64>(0)
    let tokenLocks = KeyedLocks()

    /// One scheduler per shard; `sender` reports to this engine through `report`.
    ///
    /// - Parameter onDefect: told what the database refused for good, which only a change of ours can mend.
    package init(
        schedulers: [any ShardScheduling], tenants: TenantDirectory, leaseGuard: LeaseGuard,
        directory: any DirectoryStore, sender: any PushSending, node: String = "local",
        zones: TimeZones = .utcOnly, onDefect: @escaping @Sendable (String) -> Void = { _ in },
        onFenced: @escaping @Sendable () -> Void
    ) {
        self.node = node
        precondition(!schedulers.isEmpty && schedulers.count < KeyAllocator.sharedLane)
        self.tenants = tenants
        self.leaseGuard = leaseGuard
        self.zones = zones
        self.directory = directory
        scheduler = schedulers[0]
        shards = schedulers.enumerated().map { number, scheduler in
            ShardRunner(
                number: number, scheduler: scheduler, tenants: tenants, leaseGuard: leaseGuard,
                sender: sender, zones: zones, onDefect: onDefect, onFenced: onFenced)
        }
    }

    // MARK: - Ownership

    /// Takes every shard for this epoch of the lease.
    package func start(epoch: Int64, store: @escaping @Sendable (Int) -> any ShardStore) {
        messagesInFlight.begin(epoch: epoch)
        callsInFlight.begin(epoch: epoch)
        for shard in shards {
            shard.scheduler.post { shard.start(store(shard.number), epoch: epoch) }
        }
    }

    /// Gives every shard up; `stopped` is called once all have. Callers are told `standby` from now on.
    package func stop(_ stopped: @escaping @Sendable () -> Void) {
        let gathered = Gathered<Int>(shards.count) { _ in stopped() }
        for shard in shards {
            shard.scheduler.post {
                shard.stop()
                gathered.add(shard.number)
            }
        }
    }

    /// Prepares every shard for a planned stop, so that the successor repeats nothing and rings nobody early.
    /// The caller bounds the wait: a provider may not answer.
    package func drain(_ drained: @escaping @Sendable () -> Void) {
        let gathered = Gathered<Int>(shards.count) { _ in drained() }
        for shard in shards {
            shard.scheduler.post { shard.drain { gathered.add(shard.number) } }
        }
    }

    // MARK: - Messages

    /// Materialises messages, in order; replies once, when every recipient of every message is settled.
    ///
    /// A user's entries keep the order of the array. Safe to repeat: what is there already is not made again.
    package func ingest(
        tenant: TenantKey, _ messages: [IncomingMessage],
        _ reply: @escaping @Sendable ([IngestResult]) -> Void
    ) {
        let plan = IngestPlan(messages, tenant: tenant, shards: shards.count)
        for shard in shards.indices where !hasRoom(shard, for: plan) {
            return reply(messages.map { _ in .refused(.overloaded) })
        }
        let call = IngestCall(
            messages, tenant: tenant, parts: plan.parts.count, messagesInFlight, reply)
        let shared = messagesInFlight.begin(messages, tenant: tenant, now: scheduler.now().wall)
        func event(_ part: IngestPlan.Part) -> ShardEvent {
            .ingest(
                IngestPart(
                    call: call, index: part.message, tenant: tenant, message: shared[part.message],
                    recipients: part.recipients))
        }
        // Most requests are one message to one user.
        if plan.parts.count == 1 { return shards[plan.parts[0].shard].submit(event(plan.parts[0])) }
        var events = Array(repeating: [ShardEvent](), count: shards.count)
        for part in plan.parts { events[part.shard].append(event(part)) }
        for shard in shards.indices where !events[shard].isEmpty { shards[shard].submit(events[shard]) }
    }

    private func hasRoom(_ shard: Int, for plan: IngestPlan) -> Bool {
        let weight = plan.shares[shard].weight
        return weight == 0 || shards[shard].inbox.hasRoom(for: weight)
    }

    package func read(
        _ user: UserName, _ target: ReadTarget, by device: DeviceID?, as caller: DeviceCaller? = nil,
        _ reply: @escaping Reply<BadgeState>
    ) {
        submit(.read(user, target, by: device, reply), for: user, as: caller)
    }

    /// Changes the user's settings. A zone that `zones` does not know counts as none.
    package func configure(
        _ user: UserName, _ change: UserSettings.Change, _ reply: @escaping Reply<UserSettings>
    ) {
        submit(.configureUser(user, change, reply), for: user)
    }

    /// Mutes or unmutes a conversation of the user; `until`: when a mute ends by itself.
    package func configure(
        _ user: UserName, _ conversation: ConversationID, isMuted: Bool, until: WallTime?,
        _ reply: @escaping Reply<ConversationStatus>
    ) {
        submit(.configure(user, conversation, isMuted: isMuted, until: until, reply), for: user)
    }

    package func badge(
        _ user: UserName, as caller: DeviceCaller? = nil, _ reply: @escaping Reply<BadgeState>
    ) {
        submit(.look(user, .badge(reply)), for: user, as: caller)
    }

    package func devices(_ user: UserName, _ reply: @escaping Reply<[DeviceStatus]>) {
        submit(.look(user, .devices(reply)), for: user)
    }

    /// Ascending by id, after `after`.
    package func conversations(
        _ user: UserName, after: ConversationID?, limit: Int, as caller: DeviceCaller? = nil,
        _ reply: @escaping Reply<[ConversationStatus]>
    ) {
        submit(.look(user, .conversations(after: after, limit: limit, reply)), for: user, as: caller)
    }

    package func mailbox(
        _ user: UserName, after: MailboxSeq, limit: Int, as caller: DeviceCaller? = nil,
        _ reply: @escaping Reply<MailboxPage>
    ) {
        submit(.page(PageRequest(user: user, after: after, limit: limit), reply), for: user, as: caller)
    }

    package func applied(
        _ user: UserName, _ seq: MailboxSeq, as caller: DeviceCaller, _ reply: @escaping Reply<Void>
    ) {
        submit(.applied(user, caller.device, seq, reply), for: user, as: caller)
    }

    /// The device signs itself out; its credential may serve it again.
    package func signOut(_ user: UserName, as caller: DeviceCaller, _ reply: @escaping Reply<Void>) {
        submit(.signOut(user, caller.device, .byDevice, reply), for: user, as: caller)
    }

    /// Remote logout: besides, credentials of the device that were issued up to now are refused from now on.
    package func logOut(_ user: UserName, _ device: DeviceID, _ reply: @escaping Reply<Void>) {
        submit(.signOut(user, device, .remote, reply), for: user)
    }

    /// The open tasks of a user, of one message or all.
    package func tasks(_ user: UserName, of message: MessageID?, _ reply: @escaping Reply<[LiveTask]>) {
        submit(.look(user, .tasks(message, reply)), for: user)
    }

    // MARK: - The gateway

    /// A device has authenticated. Everything further comes through `sink`; evidence goes through the handle.
    package func connect(
        _ user: UserName, as caller: DeviceCaller, resume: User.Resume, sink: any DeviceLink
    ) -> LinkHandle {
        let connection = ConnectionID(nextConnection.add(1, ordering: .relaxed).newValue)
        let shard = shard(of: user)
        let link = Link(
            user: user, device: caller.device, connection: connection,
            credentialIssuedAt: caller.credentialIssuedAt, sink: sink)
        shard.submit(.connected(link, resume))
        return LinkHandle(shard: shard, user: user, connection: connection)
    }

    // MARK: - Operators

    package func policyChanged(_ tenant: Tenant) {
        tenants.put(tenant)
        for shard in shards { shard.submit(.policyChanged(tenant)) }
    }

    /// After the tenant's rows are gone and the directory no longer knows it.
    package func tenantRemoved(_ tenant: TenantKey) {
        for shard in shards { shard.submit(.tenantRemoved(tenant)) }
    }

    package func status(_ reply: @escaping @Sendable ([ShardStatus]) -> Void) {
        let gathered = Gathered<ShardStatus>(shards.count) { reply($0.sorted { $0.shard < $1.shard }) }
        for shard in shards {
            shard.scheduler.post { gathered.add(shard.status(at: shard.scheduler.now())) }
        }
    }

    var wallNow: WallTime { scheduler.now().wall }

    func submit(_ call: ShardEvent, for user: UserName, as caller: DeviceCaller? = nil) {
        let event = caller.map { .byDevice(user, $0, call) } ?? call
        let shard = shard(of: user)
        guard shard.inbox.hasRoom(for: event.weight) else { return event.refuse(.overloaded) }
        shard.submit(event)
    }

    func shard(of user: UserName) -> ShardRunner {
        shards[ShardMap.shard(of: user, count: shards.count)]
    }
}

extension Engine: PushReporting {
    package func report(_ reports: [PushReport]) {
        var parts = Array(repeating: [PushReport](), count: shards.count)
        for shard in shards.indices { parts[shard].reserveCapacity(reports.count) }
        for report in reports { parts[report.request.shard].append(report) }
        for shard in shards.indices where !parts[shard].isEmpty {
            shards[shard].submit(.reported(parts[shard]))
        }
    }

    package func windowChanged(_ channel: ChannelID, perShard: Int, reason: String) {
        for shard in shards { shard.submit(.windowChanged(channel, perShard, reason: reason)) }
    }

    package var mayHandOver: Bool { leaseGuard.holds(at: scheduler.now().instant) }
}

/// The gateway's end of one connection: evidence in, in order.
package struct LinkHandle: Sendable {
    let shard: ShardRunner
    let user: UserName
    package let connection: ConnectionID

    /// Asks for the next page of the catch-up; the answer is `DeviceLink.page`.
    package func pull(after seq: MailboxSeq, limit: Int = 200) {
        shard.submit(.pull(user, connection, after: seq, limit: limit))
    }

    /// The kernel has taken the bytes of every entry up to this seq.
    package func pushed(through seq: MailboxSeq) { shard.submit(.pushed(user, connection, through: seq)) }

    package func applied(_ seq: MailboxSeq) { shard.submit(.linkApplied(user, connection, seq)) }

    package func read(_ conversation: ConversationID, through seq: MailboxSeq) {
        shard.submit(.linkRead(user, connection, conversation, seq))
    }

    /// Exactly once, whatever ended it; for how many milliseconds nothing was heard of the device before.
    package func closed(_ cause: CloseCause, silentFor: Int64 = 0) {
        shard.submit(.closed(user, connection, cause, silentFor: silentFor))
    }
}
