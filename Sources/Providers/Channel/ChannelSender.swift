import Domain
import Engine
import EventLoop
import HTTP
import Wire

/// Sends the pushes of one channel and reports each of them once. Belongs to one loop.
///
/// A request that cannot go out is given back as a channel fault: the engine builds it again, with the badge of then,
/// once the window is open.
final class ChannelSender {
    /// Requests waiting for a stream; what comes above is given back.
    static let maximumWaiting = 10_000

    let channel: ChannelID
    let loop: EventLoop
    let settings: ProviderSettings
    private let connector: Connector
    private let shards: Int
    private let reporting: any PushReporting
    private(set) var dialect: (any ProviderDialect)?
    private(set) var gate: ChannelGate
    private var waiting = PushQueue()
    private var flights = FlightTable()
    private var connections: [PooledConnection] = []
    private var connecting: Connecting?
    private var generation = 0
    private var reports: [PushReport] = []
    private var window: Int?
    private var reopening: TimerToken?
    private var isTurnEndScheduled = false
    private var handedOver: UInt64 = 0
    private var accepted: UInt64 = 0
    private var lastError = ""

    init(
        _ channel: ChannelID, loop: EventLoop, connector: Connector, settings: ProviderSettings, shards: Int,
        reporting: any PushReporting
    ) {
        self.channel = channel
        self.loop = loop
        self.connector = connector
        self.settings = settings
        self.shards = shards
        self.reporting = reporting
        gate = ChannelGate(timing: settings.timing)
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
        drainConnections()
        connecting?.cancel()
        connecting = nil
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

    func send(_ requests: [PushRequest]) {
        let room = max(0, Self.maximumWaiting - waiting.count)
        waiting.append(Array(requests.prefix(room)))
        for request in requests.dropFirst(room) { giveBack(request, reason: "sender_full") }
        endTurn()
    }

    private func pump() {
        guard let dialect else { return giveBackWaiting() }
        guard gate.isOpen else { return giveBackWaiting() }
        guard !waiting.isEmpty else { return }
        guard dialect.isAuthorized else { return dialect.authorize() }
        for connection in connections { fill(connection, dialect) }
        let wanted = waiting.isEmpty || gate.isOnProbation ? 1 : settings.connectionsPerChannel
        if !waiting.isEmpty && connections.count < wanted { connect(dialect) }
    }

    private func fill(_ connection: PooledConnection, _ dialect: any ProviderDialect) {
        var room = min(
            connection.http.trustedStreams(),
            settings.maximumStreamsPerConnection - connection.http.openStreams)
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

    // MARK: Answers

    private func finished(_ tag: Int, _ outcome: HTTP2Outcome, _ connection: HTTP2ClientConnection) {
        guard let flight = flights.remove(tag) else { return }
        switch outcome {
        case .response(let response): answered(flight, response, connection)
        case .unprocessed where !flight.push.isResent && flight.generation == generation && gate.isOpen:
            var push = flight.push
            push.isResent = true
            waiting.putBack(push)
        case .unprocessed: giveBack(flight.push.request, reason: "refused_stream")
        case .unknown(.timedOut): giveBack(flight.push.request, reason: "no_answer")
        case .unknown: giveBack(flight.push.request, reason: "connection_lost")
        }
        endTurnSoon()
    }

    private func answered(_ flight: Flight, _ response: HTTP2Response, _ connection: HTTP2ClientConnection) {
        guard let dialect else { return giveBack(flight.push.request, reason: "credential_changed") }
        let (judgement, answer) = dialect.read(response)
        report(flight.push.request, judgement.verdict, answer)
        if judgement.verdict == .accepted { accepted += 1 }
        guard flight.generation == generation else { return }
        if judgement.verdict != .channelFault {
            pooled(connection)?.hasServed = true
            gate.accepted()
        }
        if judgement.consequence != .none {
            draw(
                judgement.consequence, answer.reason.isEmpty ? "status_\(answer.status)" : answer.reason,
                connection)
        }
    }

    /// Does what an answer means for the channel; while it waits already, only a longer wait counts.
    private func draw(
        _ consequence: ChannelConsequence, _ reason: String, _ connection: HTTP2ClientConnection
    ) {
        let isRepeated = gate.faults > 0
        switch consequence {
        case .none: break
        case .pause(let wait): pause(wait, reason)
        case .pauseAndReconnect(let wait):
            drainConnections()
            pause(wait, reason)
        case .reconnect:
            connection.drain()
            if isRepeated { pause(nil, reason) } else { gate.faulted() }
        case .refreshCredential, .suspectCredential, .halt:
            guard gate.isOpen else { return }
            accuse(consequence, reason, isRepeated: isRepeated)
        }
    }

    /// Twice without a push accepted in between, and a credential is taken for wrong.
    private func accuse(_ consequence: ChannelConsequence, _ reason: String, isRepeated: Bool) {
        drainConnections()
        if consequence == .halt || isRepeated
            || consequence == .refreshCredential && dialect?.renewAuthorization() == false
        {
            fault(reason) { $0.halt(reason: reason, at: $1, jitter: $2) }
        } else {
            pause(nil, reason)
        }
    }

    private func pause(_ milliseconds: Int64?, _ reason: String) {
        fault(reason) { $0.pause(milliseconds: milliseconds, reason: reason, at: $1, jitter: $2) }
    }

    private func fault(_ reason: String, _ change: (inout ChannelGate, Instant, Double) -> Void) {
        lastError = reason
        change(&gate, Instant(milliseconds: MonotonicClock.nowMilliseconds()), .random(in: 0..<1))
        guard let instant = gate.reopensAt else { return }
        if let reopening { loop.timers.cancel(reopening) }
        let wait = instant.milliseconds - MonotonicClock.nowMilliseconds()
        reopening = loop.timers.arm(afterMilliseconds: Int(max(0, wait))) { [weak self] in self?.reopen() }
    }

    private func reopen() {
        reopening = nil
        _ = gate.tick(at: Instant(milliseconds: MonotonicClock.nowMilliseconds()))
        endTurn()
    }

    // MARK: Reports

    private func giveBackWaiting() {
        guard !waiting.isEmpty else { return }
        for push in waiting.removeAll() { giveBack(push.request, reason: gate.reason) }
    }

    private func giveBack(_ request: PushRequest, reason: String) {
        report(request, .channelFault, ProviderAnswer(status: 0, reason: reason))
    }

    private func report(_ request: PushRequest, _ verdict: PushVerdict, _ answer: ProviderAnswer) {
        reports.append(PushReport(request: request.id, verdict: verdict, answer: answer))
        endTurnSoon()
    }

    /// What one turn of the loop brought is handed over at its end, together.
    private func endTurnSoon() {
        guard !isTurnEndScheduled else { return }
        isTurnEndScheduled = true
        let me = LoopBound(self, on: loop)
        loop.post {
            me.value.isTurnEndScheduled = false
            me.value.endTurn()
        }
    }

    /// The window goes first: what is given back must not be built again into a closed channel.
    private func endTurn() {
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
        guard !gate.isOnProbation else { return 1 }
        let known = connections.reduce(0) { $0 + $1.capacity(atMost: settings.maximumStreamsPerConnection) }
        return connections.isEmpty ? dialect?.initialStreams ?? 1 : known
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
            connections: connections.count,
            inFlight: flights.count, waiting: waiting.count, handedOver: handedOver, accepted: accepted,
            lastError: lastError, authorizedAt: dialect?.authorizedAt)
    }
}

// MARK: Connections

extension ChannelSender: HTTP2ClientConnectionDelegate {
    private func connect(_ dialect: any ProviderDialect) {
        guard connecting == nil else { return }
        let (generation, endpoint) = (generation, dialect.endpoint)
        connecting = connector.connect(host: endpoint.host, port: endpoint.port, on: loop) {
            [weak self] result in
            guard let self, generation == self.generation else {
                if case .success(let stream) = result { stream.close(.reset) }
                return
            }
            self.connecting = nil
            switch result {
            case .success(let stream): self.connected(stream, dialect)
            case .failure(let error): self.pause(nil, ConnectFailure.reason(error))
            }
            self.endTurn()
        }
    }

    private func connected(_ stream: any ByteStream, _ dialect: any ProviderDialect) {
        var http = HTTP2ClientConnection.Settings()
        http.initialMaximumConcurrentStreams = dialect.initialStreams
        http.requestTimeoutMilliseconds = settings.requestTimeoutMilliseconds
        do {
            let connection = try HTTP2ClientConnection(stream, settings: http, delegate: self)
            connections.append(PooledConnection(connection))
            connection.start()
        } catch {
            stream.close(.reset)
            pause(nil, "http2_not_started")
        }
    }

    private func pooled(_ connection: HTTP2ClientConnection) -> PooledConnection? {
        connections.first { $0.http === connection }
    }

    private func drainConnections() {
        let all = connections
        connections = []
        for connection in all { connection.http.drain() }
    }

    func connection(_ connection: HTTP2ClientConnection, finished tag: Int, with outcome: HTTP2Outcome) {
        finished(tag, outcome, connection)
    }

    func connectionHasRoom(_ connection: HTTP2ClientConnection) { endTurnSoon() }

    func connectionIsDraining(
        _ connection: HTTP2ClientConnection, errorCode: HTTP2ErrorCode, debugData: [UInt8]
    ) {
        left(connection, reason: "connection_refused")
    }

    func connectionClosed(_ connection: HTTP2ClientConnection, _ closure: HTTP2Closure) {
        left(connection, reason: "connection_lost")
    }

    /// A connection that went before it served anything is a fault of the channel; else another is made at once.
    private func left(_ connection: HTTP2ClientConnection, reason: String) {
        let pooled = pooled(connection)
        connections.removeAll { $0.http === connection }
        if let pooled, !pooled.hasServed { pause(nil, reason) }
        endTurnSoon()
    }
}

/// A connection of the pool.
final class PooledConnection {
    let http: HTTP2ClientConnection
    /// A request has gone out: names of the changing fields are in the header table.
    var isWarm = false
    /// An answer about a push has come.
    var hasServed = false
    private var lastCapacity = 1

    init(_ http: HTTP2ClientConnection) { self.http = http }

    /// How many requests the peer allows at a time; while it is put to the test, how many it allowed.
    func capacity(atMost limit: Int) -> Int {
        let seen = http.openStreams + http.freeStreams
        if seen > 0 { lastCapacity = min(seen, limit) }
        return lastCapacity
    }
}
