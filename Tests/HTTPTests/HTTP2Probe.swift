import EventLoop
import HTTP
import Wire

/// Owns a client connection, queues what has no room, and remembers what it was told. Used on its loop only.
final class HTTP2Probe: HTTP2ClientConnectionDelegate {
    private(set) var outcomes: [Int: HTTP2Outcome] = [:]
    private(set) var closure: HTTP2Closure?
    private(set) var goAways: [String] = []
    private(set) var roomTold = 0
    private(set) var mostOpen = 0
    var waiting: [(tag: Int, headers: HTTP2Headers, body: [UInt8])] = []
    var connection: HTTP2ClientConnection?
    private var waiters: [(condition: (HTTP2Probe) -> Bool, resume: () -> Void)] = []

    func pump() {
        guard let connection else { return }
        while let next = waiting.first, connection.send(next.headers, body: next.body, tag: next.tag) {
            waiting.removeFirst()
            mostOpen = max(mostOpen, connection.openStreams)
        }
    }

    func wake(when condition: @escaping (HTTP2Probe) -> Bool, _ resume: @escaping () -> Void) {
        waiters.append((condition, resume))
        check()
    }

    private func check() {
        let ready = waiters.filter { $0.condition(self) }
        waiters.removeAll { $0.condition(self) }
        for waiter in ready { waiter.resume() }
    }

    func connection(_ connection: HTTP2ClientConnection, finished tag: Int, with outcome: HTTP2Outcome) {
        precondition(outcomes[tag] == nil, "told twice")
        outcomes[tag] = outcome
        check()
    }

    func connectionHasRoom(_ connection: HTTP2ClientConnection) {
        roomTold += 1
        pump()
        check()
    }

    func connectionIsDraining(
        _ connection: HTTP2ClientConnection, errorCode: HTTP2ErrorCode, debugData: [UInt8]
    ) {
        goAways.append(String(decoding: debugData, as: UTF8.self))
        check()
    }

    func connectionClosed(_ connection: HTTP2ClientConnection, _ closure: HTTP2Closure) {
        self.closure = closure
        self.connection = nil
        check()
    }
}

/// The test's hold on a probe.
struct HTTP2Line: Sendable {
    let loop = EventLoop(label: "h2-client")
    let probe: LoopBound<HTTP2Probe>

    init(
        to address: SocketAddress, _ settings: HTTP2ClientConnection.Settings = HTTP2Line.patient,
        connector: Connector = Connector(), gate: (any WriteGate)? = nil
    ) async throws {
        let loop = loop
        probe = try await withCheckedThrowingContinuation { done in
            loop.post {
                connector.connect(to: address, on: loop) { result in
                    done.resume(
                        with: Result {
                            let probe = HTTP2Probe()
                            let stream = try result.get()
                            stream.gate = gate
                            let connection = try HTTP2ClientConnection(
                                stream, settings: settings, delegate: probe)
                            probe.connection = connection
                            connection.start()
                            return LoopBound(probe, on: loop)
                        })
                }
            }
        }
    }

    /// No time limit that a slow machine could reach.
    static let patient: HTTP2ClientConnection.Settings = {
        var settings = HTTP2ClientConnection.Settings()
        settings.requestTimeoutMilliseconds = 600_000
        settings.pingTimeoutMilliseconds = 600_000
        return settings
    }()

    static func headers(_ path: String) -> HTTP2Headers {
        var headers = HTTP2Headers()
        headers.append(.method, "POST")
        headers.append(.scheme, "https")
        headers.append(.path, path)
        headers.append(.authority, "localhost")
        return headers
    }

    func request(_ tags: Range<Int>, path: String = "/3/device/x", body: [UInt8] = [1, 2, 3]) {
        act { probe in
            probe.waiting += tags.map { ($0, Self.headers(path), body) }
            probe.pump()
        }
    }

    func act(_ work: @escaping @Sendable (HTTP2Probe) -> Void) {
        loop.post { [probe] in work(probe.value) }
    }

    func wait(until condition: @escaping @Sendable (HTTP2Probe) -> Bool) async {
        await withCheckedContinuation { done in
            loop.post { [probe] in probe.value.wake(when: condition) { done.resume() } }
        }
    }

    func read<R: Sendable>(_ value: @Sendable (HTTP2Probe) -> R) -> R {
        loop.sync { value(probe.value) }
    }
}

/// An HTTP/2 server whose connections the test can reach.
final class HTTP2Host: Sendable {
    let server: HTTP2Server

    init(
        maximumConcurrentStreams: Int = 100, tls: TLSContext? = nil,
        requested: @escaping @Sendable (HTTP2Request, HTTP2ServerConnection) -> Void
    ) throws {
        var settings = HTTP2Server.Settings()
        settings.maximumConcurrentStreams = maximumConcurrentStreams
        let (arrived, arrival) = AsyncStream<HTTP2Peer>.makeStream()
        self.arrived = arrived
        server = try HTTP2Server(
            address: .loopback(), group: EventLoopGroup(count: 1), settings: settings, tls: tls,
            handlers: HTTP2Server.Handlers(
                connected: {
                    arrival.yield(HTTP2Peer(connection: LoopBound($0, on: $0.loop), loop: $0.loop))
                }, requested: requested))
    }

    let arrived: AsyncStream<HTTP2Peer>

    func next() async throws -> HTTP2Peer {
        for await peer in arrived { return peer }
        throw CancellationError()
    }

    static func ok() -> HTTP2Headers {
        var headers = HTTP2Headers()
        headers.append(.status, "200")
        return headers
    }

    static func answer(_ request: HTTP2Request, _ connection: HTTP2ServerConnection) {
        connection.respond(to: request.stream, ok(), body: request.body)
    }
}

/// The test's hold on a server's connection.
struct HTTP2Peer: Sendable {
    let connection: LoopBound<HTTP2ServerConnection>
    let loop: EventLoop

    func act(_ work: @escaping @Sendable (HTTP2ServerConnection) -> Void) {
        loop.post { [connection] in work(connection.value) }
    }
}
