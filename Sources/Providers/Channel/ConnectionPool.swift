import EventLoop
import HTTP
import Wire

/// What the owner of a pool learns, on its loop.
protocol ConnectionPoolOwner: AnyObject {
    /// Once for every request handed over.
    func finished(_ tag: Int, _ outcome: HTTP2Outcome, over connection: HTTP2ClientConnection)
    /// There may be room for more, or less than there was.
    func poolChanged()
    /// The provider could not be reached, or threw a connection out before it served anything.
    func poolFailed(reason: String)
}

/// The connections of one channel, a few at most. Belongs to one loop.
final class ConnectionPool {
    private let loop: EventLoop
    private let connector: Connector
    private let settings: ProviderSettings
    private weak var owner: (any ConnectionPoolOwner)?
    private var connecting: Connecting?
    /// Changes when all connections are given up: what was on its way then is not taken in.
    private var generation = 0
    private(set) var connections: [PooledConnection] = []

    init(loop: EventLoop, connector: Connector, settings: ProviderSettings, owner: any ConnectionPoolOwner) {
        self.loop = loop
        self.connector = connector
        self.settings = settings
        self.owner = owner
    }

    /// Requests that the connections take at a time; nil while there is none.
    var capacity: Int? {
        guard !connections.isEmpty else { return nil }
        return connections.reduce(0) { $0 + $1.capacity(atMost: settings.maximumStreamsPerConnection) }
    }

    /// How many requests this connection takes now; one that was silent for long is put to the test first.
    func room(in connection: PooledConnection) -> Int {
        min(
            connection.http.trustedStreams(),
            settings.maximumStreamsPerConnection - connection.http.openStreams)
    }

    /// Makes one more connection, unless one is being made or there are enough.
    func grow(to wanted: Int, _ endpoint: ProviderEndpoint, initialStreams: Int) {
        guard connecting == nil, connections.count < wanted else { return }
        let generation = generation
        connecting = connector.connect(host: endpoint.host, port: endpoint.port, on: loop) {
            [weak self] result in
            guard let self, generation == self.generation else {
                if case .success(let stream) = result { stream.close(.reset) }
                return
            }
            self.connecting = nil
            switch result {
            case .success(let stream): self.connected(stream, initialStreams)
            case .failure(let error): self.owner?.poolFailed(reason: ConnectFailure.reason(error))
            }
            self.owner?.poolChanged()
        }
    }

    private func connected(_ stream: any ByteStream, _ initialStreams: Int) {
        var http = HTTP2ClientConnection.Settings()
        http.initialMaximumConcurrentStreams = initialStreams
        http.requestTimeoutMilliseconds = settings.requestTimeoutMilliseconds
        stream.gate = settings.gate
        do {
            let connection = try HTTP2ClientConnection(stream, settings: http, delegate: self)
            connections.append(PooledConnection(connection))
            connection.start()
        } catch {
            stream.close(.reset)
            owner?.poolFailed(reason: "http2_not_started")
        }
    }

    /// Gives all connections up; what is open on them is answered still.
    func drain() {
        generation += 1
        connecting?.cancel()
        connecting = nil
        let all = connections
        connections = []
        for connection in all { connection.http.drain() }
    }

    /// Gives one connection up.
    func drain(_ connection: HTTP2ClientConnection) {
        connections.removeAll { $0.http === connection }
        connection.drain()
    }

    /// An answer about a push has come over it: it works.
    func served(_ connection: HTTP2ClientConnection) {
        connections.first { $0.http === connection }?.hasServed = true
    }

    /// A connection that goes before it served anything is a fault of the channel; else another is made at
    /// once.
    private func left(_ connection: HTTP2ClientConnection, reason: String) {
        let pooled = connections.first { $0.http === connection }
        connections.removeAll { $0.http === connection }
        if let pooled, !pooled.hasServed { owner?.poolFailed(reason: reason) }
        owner?.poolChanged()
    }
}

extension ConnectionPool: HTTP2ClientConnectionDelegate {
    func connection(_ connection: HTTP2ClientConnection, finished tag: Int, with outcome: HTTP2Outcome) {
        owner?.finished(tag, outcome, over: connection)
    }

    func connectionHasRoom(_ connection: HTTP2ClientConnection) { owner?.poolChanged() }

    func connectionIsDraining(
        _ connection: HTTP2ClientConnection, errorCode: HTTP2ErrorCode, debugData: [UInt8]
    ) {
        left(connection, reason: "connection_refused")
    }

    func connectionClosed(_ connection: HTTP2ClientConnection, _ closure: HTTP2Closure) {
        left(connection, reason: "connection_lost")
    }
}

/// A connection of a pool.
final class PooledConnection {
    let http: HTTP2ClientConnection
    /// A request has gone out: names of the changing fields are in the header table.
    var isWarm = false
    /// An answer about a push has come.
    fileprivate(set) var hasServed = false
    private var lastCapacity = 1

    init(_ http: HTTP2ClientConnection) { self.http = http }

    /// How many requests the peer allows at a time; while it is put to the test, how many it allowed.
    func capacity(atMost limit: Int) -> Int {
        let seen = http.openStreams + http.freeStreams
        if seen > 0 { lastCapacity = min(seen, limit) }
        return lastCapacity
    }
}
