import Domain

/// One shard: a serial executor that alone holds its users' live state, and runs one transaction at a time.
///
/// Events are taken in batches; a batch is loaded, decided by `User`, committed, and only then performed:
/// nothing is answered, written to a socket or handed to a provider before the commit that records it. What
/// happens meanwhile waits in the inbox and makes the next batch.
///
/// `@unchecked Sendable`: every entry runs on the shard's executor, which `run` and the ports assert.
package final class ShardRunner: @unchecked Sendable {
    enum Phase {
        case stopped
        /// Waits for the database: what can be repeated is refused, evidence is kept.
        case opening
        case idle
        /// A load or a transaction is under way.
        case busy
    }

    /// A batch is cut at so many recipients and events.
    static let batchWeight = 2_000
    static let readBackPage = 200
    /// How late the end of a mute may be noticed of a user who is not in memory.
    static let wakePollMilliseconds: Int64 = 10_000
    /// Idle users leave the memory beyond so many.
    static let cachedUsers = 50_000

    let number: Int
    let inbox = ShardInbox()
    let digestPlace = DigestPlace()
    let scheduler: any ShardScheduling
    let tenants: TenantDirectory
    let zones: TimeZones
    let leaseGuard: LeaseGuard
    let sender: any PushSending
    let onFenced: @Sendable () -> Void
    let onDefect: @Sendable (String) -> Void

    var phase = Phase.stopped
    var store: (any ShardStore)?
    var keys = KeyAllocator(epoch: 1, lane: 0)

    // Tentative state: what the store says, and the batch under way. Dropped when a commit fails.
    var users: [UserName: CachedUser] = [:]
    var timers = ShardTimers()
    var toReadBack: [UserKey] = []
    var readBackDrained = false
    /// A user of an unknown tenant was read back, whose duties are not in memory therefore.
    var leftOutAtReadBack = false
    var carried = ShardBatch()

    // Facts: they outlive the state.
    var links: [ConnectionID: LinkRecord] = [:]
    var linksOfUser: [UserName: [ConnectionID]] = [:]
    var flights = FlightTable()
    var channels = ChannelQueues()
    var nextRequest: UInt64 = 0
    var counters = ShardCounters()
    /// Nothing is built any more; what is in flight is waited for.
    private(set) var isDraining = false
    private var drainWaiters: [@Sendable () -> Void] = []
    private var reopenDelay: Int64 = ShardRunner.firstReopenDelay
    private static let firstReopenDelay: Int64 = 100
    private var generation = 0
    private var crowd = ShardRunner.cachedUsers
    /// When the store is asked next whom time alone concerns.
    private var wakesPolledAt = Instant(milliseconds: 0)
    /// What is being loaded or committed: answered at once should the shard be stopped meanwhile.
    private var underWay: ShardBatch?

    package init(
        number: Int, scheduler: any ShardScheduling, tenants: TenantDirectory, leaseGuard: LeaseGuard,
        sender: any PushSending, zones: TimeZones, onDefect: @escaping @Sendable (String) -> Void,
        onFenced: @escaping @Sendable () -> Void
    ) {
        self.number = number
        self.scheduler = scheduler
        self.tenants = tenants
        self.zones = zones
        self.leaseGuard = leaseGuard
        self.sender = sender
        self.onDefect = onDefect
        self.onFenced = onFenced
    }

    /// Any thread.
    func submit(_ events: [ShardEvent]) {
        if inbox.append(events) { scheduler.post { self.run() } }
    }

    /// Any thread.
    func submit(_ event: ShardEvent) {
        if inbox.append(event) { scheduler.post { self.run() } }
    }

    // MARK: - Open and stop

    /// Takes the shard for this epoch. On the executor.
    package func start(_ store: any ShardStore, epoch: Int64) {
        scheduler.assertOnExecutor()
        generation += 1
        self.store = store
        // Continues above every key of the epoch: the allocator is not begun anew by a reload.
        keys = KeyAllocator(epoch: epoch, lane: number)
        isDraining = false
        reopen()
    }

    /// Prepares for a planned stop: takes no more calls, builds no more pushes, waits
    /// for those in flight, and writes down what is held with its deadline. On the
    /// executor; `done` may never come, if a provider does not answer.
    package func drain(_ done: @escaping @Sendable () -> Void) {
        scheduler.assertOnExecutor()
        guard phase != .stopped else { return done() }
        isDraining = true
        drainWaiters.append(done)
        run()
    }

    /// The last transaction of a drain, once nothing is in flight and nothing waits.
    private func finishDrain() {
        guard isDraining, flights.isEmpty, !drainWaiters.isEmpty else { return armTimer() }
        let now = scheduler.now()
        var batch = ShardBatch()
        for cached in users.values {
            record(cached.user.draining(at: now), of: cached, at: now, &batch)
        }
        batch.changes.marksDrained = true
        let waiters = drainWaiters
        drainWaiters = []
        batch.effects.append(.reply { for waiter in waiters { waiter() } })
        load(batch)
    }

    /// Gives the shard up: the lease is lost, or the process ends. On the executor.
    package func stop() {
        scheduler.assertOnExecutor()
        generation += 1
        phase = .stopped
        digestPlace.set(nil)
        store?.close()
        store = nil
        underWay?.refuse(.unavailable)
        underWay = nil
        forget()
        for record in links.values { record.link.sink.close(.goingAway) }
        links = [:]
        linksOfUser = [:]
        refuseWaiting(.standby)
    }

    /// Another owner has, or may have, the shard: nothing more leaves from here.
    private func loseLease() {
        stop()
        onFenced()
    }

    /// Drops the tentative state and takes the shard row again, until the database lets it.
    func reopen() {
        guard let store else { return }
        phase = .opening
        digestPlace.set(nil)
        forget()
        refuseWaiting(.unavailable)
        let generation = generation
        store.open { [self] result in
            guard generation == self.generation else { return }
            switch result {
            case .success(let opening): opened(opening)
            case .failure(.fenced): loseLease()
            case .failure: retryOpening()
            }
        }
    }

    private func retryOpening() {
        let generation = generation
        reopenDelay = min(reopenDelay * 2, 2_000)
        scheduler.wake(at: scheduler.now().instant + reopenDelay) { [self] in
            guard generation == self.generation else { return }
            reopen()
        }
    }

    private func opened(_ opening: ShardOpening) {
        reopenDelay = Self.firstReopenDelay
        for defect in opening.defects { onDefect("shard \(number): \(defect)") }
        toReadBack = opening.usersToReadBack.reversed()
        readBackDrained = opening.wasDrained
        leftOutAtReadBack = false
        digestPlace.set(opening.digestRevision)
        wakesPolledAt = scheduler.now().instant
        phase = .idle
        let live = links.sorted { $0.key < $1.key }.map(\.value)
        for record in live { record.link.sink.resume() }
        // Users of live links come back at once: their holds run on.
        var known: Set<UserName> = []
        let linked = live.map(\.link.user).filter { known.insert($0).inserted }
        for start in stride(from: 0, to: linked.count, by: Self.readBackPage) {
            submit(.timePassed(Array(linked[start..<min(start + Self.readBackPage, linked.count)])))
        }
        run()
    }

    private func forget() {
        for cached in users.values { cached.hasLeft = true }
        users = [:]
        timers = ShardTimers()
        toReadBack = []
        carried = ShardBatch()
        channels.clearQueues()
    }

    private func refuseWaiting(_ refusal: Refusal) {
        for event in inbox.takeRepeatable(sleeping: phase != .idle) { event.refuse(refusal) }
    }

    // MARK: - Batches

    /// Takes the next batch, if none is under way. On the executor.
    func run() {
        scheduler.assertOnExecutor()
        switch phase {
        case .busy: return
        case .stopped: return refuseWaiting(.standby)
        case .opening: return refuseWaiting(.unavailable)
        case .idle: break
        }
        guard leaseGuard.holds(at: scheduler.now().instant) else { return loseLease() }
        if isDraining { refuseWaiting(.standby) }
        var events = inbox.take(weight: Self.batchWeight)
        if !toReadBack.isEmpty { events.append(nextReadBack()) }
        if events.isEmpty, carried.isEmpty { return isDraining ? finishDrain() : armTimer() }
        var batch = carried
        carried = ShardBatch()
        batch.events = events
        load(batch)
    }

    private func nextReadBack() -> ShardEvent {
        let page = toReadBack.suffix(Self.readBackPage).reversed()
        toReadBack.removeLast(page.count)
        return .readBack(Array(page))
    }

    private func load(_ batch: ShardBatch) {
        let request = needs(of: batch.events)
        guard !request.isEmpty, let store else { return decide(batch, LoadedBatch()) }
        phase = .busy
        underWay = batch
        let generation = generation
        store.load(request) { [self] result in
            guard generation == self.generation else { return }
            underWay = nil
            switch result {
            case .success(let loaded):
                settleSharing(request.sharing, loaded.sharedTokens)
                decide(batch, loaded)
            case .failure(let failure): failed(batch, failure)
            }
        }
    }

    private func decide(_ batch: ShardBatch, _ loaded: LoadedBatch) {
        var batch = batch
        let now = scheduler.now()
        adopt(loaded.users, at: now, &batch)
        follow(loaded.digests, at: now, &batch)
        let events = batch.events
        batch.expect(events)
        var page = 0
        for event in events { apply(event, loaded, page: &page, at: now, &batch) }
        batch.seal(at: now)
        guard !batch.changes.isEmpty, let store else {
            followed(batch, nil)
            return perform(batch)
        }
        phase = .busy
        underWay = batch
        let generation = generation
        store.commit(batch.changes) { [self] result in
            guard generation == self.generation else { return }
            underWay = nil
            switch result {
            case .success(let committed):
                counters.commits += 1
                followed(batch, committed)
                perform(batch)
            case .failure(let failure): failed(batch, failure)
            }
        }
    }

    private func failed(_ batch: ShardBatch, _ failure: StoreFailure) {
        counters.commitFailures += 1
        if case .failed(let text) = failure { onDefect("shard \(number): \(text)") }
        batch.refuse(failure == .tokenTaken ? .conflict : .unavailable)
        // What a caller cannot repeat is decided again from the state that is read back.
        inbox.restore(batch.events.filter { !$0.isRepeatable && !$0.isReadBack })
        if failure == .fenced { return loseLease() }
        reopen()
    }

    /// Everything the commit allows; then the channels' turn, then the next batch.
    private func perform(_ batch: ShardBatch) {
        phase = .idle
        counters.add(batch)
        for request in batch.landed {
            // A report that comes again after a commit that failed makes room once.
            if let flight = flights.remove(request) { channels.landed(at: flight.channel) }
        }
        guard leaseGuard.holds(at: scheduler.now().instant) else {
            batch.refuse(.unavailable)
            return loseLease()
        }
        performEffects(batch.effects)
        sendWhatIsDue()
        evictIfCrowded()
        armTimer()
        scheduler.post { self.run() }
    }

    /// Tasks that the batch under way, or the next, ends: the state has them no more, the store still does.
    var tasksEnding: Int { (underWay?.changes.tasksEnded.count ?? 0) + carried.changes.tasksEnded.count }

    private func armTimer() {
        scheduler.wake(at: min(timers.next ?? wakesPolledAt, wakesPolledAt)) { [self] in
            guard phase != .stopped else { return }
            let now = scheduler.now().instant
            let due = timers.due(at: now, limit: Self.batchWeight)
            var events: [ShardEvent] = due.isEmpty ? [] : [.timePassed(due)]
            if wakesPolledAt <= now {
                wakesPolledAt = now + Self.wakePollMilliseconds
                events.append(.pollWakes)
            }
            if events.isEmpty { armTimer() } else { submit(events) }
        }
    }

    private func evictIfCrowded() {
        guard users.count > crowd else { return }
        // What the next batch writes of a user is written from its state here.
        let idle = users.values.filter { $0.user.isIdle && !$0.awaitsRecord }.sorted {
            $0.lastUsed < $1.lastUsed
        }
        for cached in idle.prefix(Self.cachedUsers / 4) { drop(cached) }
        // Where few are idle, the search is not made again for each batch.
        crowd = max(Self.cachedUsers, users.count + Self.cachedUsers / 20)
    }

    /// Takes a user out of the memory.
    func drop(_ cached: CachedUser) {
        cached.hasLeft = true
        users[cached.name] = nil
    }
}

/// A live connection as the shard knows it whatever happens to its state.
///
/// An object: it is looked up for each frame, and copied for none.
final class LinkRecord {
    let link: Link
    let connectedAt: WallTime
    let replayAfter: MailboxSeq
    var pushedSeq: MailboxSeq
    /// The last entry given to the sink; what follows begins behind it.
    var deliveredSeq: MailboxSeq
    /// First writes of entries not yet applied: what their holds are counted from.
    var firstWrites: [(through: MailboxSeq, at: Instant)] = []
    /// Calls it was told to ring for, and not yet to end.
    var ringing: Set<CallID> = []

    init(_ link: Link, _ presence: Presence) {
        self.link = link
        connectedAt = presence.connectedAt
        replayAfter = presence.replayAfter
        pushedSeq = presence.pushedSeq
        deliveredSeq = presence.replayAfter
    }

    /// `window`: what was written longer ago holds nothing any more.
    func pushed(through seq: MailboxSeq, at now: Instant, window: Int64) {
        guard seq > pushedSeq else { return }
        pushedSeq = seq
        firstWrites.append((through: seq, at: now))
        if firstWrites.count > 64 { firstWrites.removeAll { now - $0.at > window } }
    }
}
