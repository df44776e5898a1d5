import Domain
import Engine
import EventLoop
import HTTP
import Wire

/// Sends the pushes of one channel and reports each of them once. Belongs to one loop.
///
/// A request that cannot go out is given back as a channel fault: the engine builds it again, with the badge
/// of then, once the window is open.
final class ChannelSender {
    /// Requests waiting for a stream; what comes above is given back.
    static let maximumWaiting = 10_000

    let channel: ChannelID
    let loop: EventLoop
    let settings: ProviderSettings
    private let shards: Int
    private let reporting: any PushReporting
    private(set) var dialect: (any ProviderDialect)?
    var gate: ChannelGate
    var waiting = PushQueue()
    var flights = FlightTable()
    var pool: ConnectionPool?
    var generation = 0
    private var reports: [PushReport] = []
    private var window: Int?
    var reopening: TimerToken?
    private var isTurnEndScheduled = false
    private var handedOver: UInt64 = 0
    var accepted: UInt64 = 0
    var lastError = ""

    init(
        _ channel: ChannelID, loop: EventLoop, connector: Connector, settings: ProviderSettings, shards: Int,
        reporting: any PushReporting
    ) {
        self.channel = channel
        self.loop = loop
        self.settings = settings
        self.shards = shards
        self.reporting = reporting
        gate = ChannelGate(timing: settings.timing)
        pool = ConnectionPool(loop: loop, connector: connector, settings: settings, owner: self)
    }

    // MARK: Credential

    /// Speaks with another credential from now on; what is under way ends over the connections it began on.
    func use(_ dialect: any ProviderDialect) {
        changeCredential()
        self.dialect = dialect
        gate.credentialArrived()
        endTurnSoon()
    }

    /// Has no credential any more, and says why.
    func close(reason: String) {
        changeCredential()
        dialect = nil
        gate.credentialLeft(reason: reason)
        endTurnSoon()
    }

    private func changeCredential() {
        generation += 1
        pool?.drain()
    }

    func authorizationChanged(_ change: AuthorizationChange) {
        switch change {
        case .ready: break
        case .failed(let reason):
            fault(reason) { $0.pause(milliseconds: nil, reason: reason, at: $1, jitter: $2) }
        case .refused(let reason): fault(reason) { $0.halt(reason: reason, at: $1, jitter: $2) }
        }
        endTurnSoon()
    }

    // MARK: Sending

    func send(_ requests: ArraySlice<PushRequest>) {
        let room = max(0, Self.maximumWaiting - waiting.count)
        waiting.append(requests.prefix(room))
        for request in requests.dropFirst(room) { giveBack(request, reason: "sender_full") }
        endTurn()
    }

    private func pump() {
        guard let dialect else { return giveBackWaiting() }
        guard gate.isOpen else { return giveBackWaiting() }
        guard !waiting.isEmpty else { return }
        guard dialect.isAuthorized else { return dialect.authorize() }
        for connection in pool?.connections ?? [] { fill(connection, dialect) }
        guard !waiting.isEmpty else { return }
        let wanted = gate.isOnProbation ? 1 : settings.connectionsPerChannel
        pool?.grow(to: wanted, dialect.endpoint, initialStreams: dialect.initialStreams)
    }

    private func fill(_ connection: PooledConnection, _ dialect: any ProviderDialect) {
        var room = pool?.room(in: connection) ?? 0
        // On probation one request asks for all.
        if gate.isOnProbation { room = min(room, 1 - flights.count) }
        while room > 0, let push = waiting.first {
            waiting.removeFirst()
            guard reporting.mayHandOver else {
                giveBack(push.request, reason: "lease_unsure")
                continue
            }
            if handOver(push, connection, dialect) {
                room -= 1
            } else if connection.http.freeStreams == 0 {
                return
            }
        }
    }

    /// False: nothing was handed over; the push was reported or put back.
    private func handOver(
        _ push: PendingPush, _ connection: PooledConnection, _ dialect: any ProviderDialect
    ) -> Bool {
        // It waited for a stream: a call that is over must make nobody's phone ring.
        guard push.request.draft.callID == nil || push.request.draft.expiresAt.milliseconds > WallClock.now()
        else {
            giveBack(push.request, reason: "call_is_over")
            return false
        }
        switch dialect.compose(push.request, isFirstOnConnection: !connection.isWarm) {
        case .refused(let reason):
            report(push.request, .rejected, ProviderAnswer(status: 0, reason: reason))
            return false
        case .request(let headers, let body):
            let tag = flights.insert(Flight(push: push, generation: generation))
            guard connection.http.send(headers, body: body, tag: tag) else {
                _ = flights.remove(tag)
                waiting.putBack(push)
                return false
            }
            connection.isWarm = true
            handedOver += 1
            return true
        }
    }

    // MARK: Reports

    private func giveBackWaiting() {
        guard !waiting.isEmpty else { return }
        for push in waiting.removeAll() { giveBack(push.request, reason: gate.reason) }
    }

    /// - Parameter isUnheard: it was with the provider, which may have accepted it.
    func giveBack(_ request: PushRequest, reason: String, isUnheard: Bool = false) {
        report(request, .channelFault, ProviderAnswer(status: 0, reason: reason, isUnheard: isUnheard))
    }

    func report(_ request: PushRequest, _ verdict: PushVerdict, _ answer: ProviderAnswer) {
        reports.append(PushReport(request: request.id, verdict: verdict, answer: answer))
        endTurnSoon()
    }

    /// What one turn of the loop brought is handed over at its end, together.
    func endTurnSoon() {
        guard !isTurnEndScheduled else { return }
        isTurnEndScheduled = true
        let me = LoopBound(self, on: loop)
        loop.post {
            me.value.isTurnEndScheduled = false
            me.value.endTurn()
        }
    }

    /// The window goes first: what is given back must not be built again into a closed channel.
    func endTurn() {
        pump()
        tellWindow()
        guard !reports.isEmpty else { return }
        let batch = reports
        reports = []
        reporting.report(batch)
    }

    private func tellWindow() {
        let perShard = gate.isOpen ? max(1, capacity / max(1, shards)) : 0
        guard perShard != window else { return }
        window = perShard
        reporting.windowChanged(channel, perShard: perShard, reason: gate.reason)
    }

    private var capacity: Int {
        gate.isOnProbation ? 1 : pool?.capacity ?? dialect?.initialStreams ?? 1
    }

    var status: ChannelStatus {
        let state: ChannelStatus.State =
            switch gate.state {
            case .open: .open
            case .paused: .paused
            case .halted: .halted
            case .closed: .closed
            }
        return ChannelStatus(
            channel: channel, state: state, reason: gate.reason, window: window ?? 0,
            connections: pool?.connections.count ?? 0,
            inFlight: flights.count, waiting: waiting.count, handedOver: handedOver, accepted: accepted,
            lastError: lastError, authorizedAt: dialect?.authorizedAt)
    }
}
