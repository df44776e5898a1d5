import EventLoop
import HTTP
import Synchronization
import Testing
import Wire

struct HTTP2ConnectionTests {
    final class Counter: Sendable {
        private let value = Atomic<Int>(0)
        func add() -> Int { value.add(1, ordering: .relaxed).newValue }
        func raise(to number: Int) {
            if number > value.load(ordering: .relaxed) { value.store(number, ordering: .relaxed) }
        }
        var now: Int { value.load(ordering: .relaxed) }
    }

    @Test func `a thousand requests are answered and never more are open than the peer allows`() async throws
    {
        let most = Counter()
        let host = try HTTP2Host(maximumConcurrentStreams: 3) { request, connection in
            most.raise(to: connection.openStreams)
            HTTP2Host.answer(request, connection)
        }
        let line = try await HTTP2Line(to: host.server.address)
        line.request(0..<1_000)
        await line.wait { $0.outcomes.count == 1_000 }
        let bodies = line.read { probe in
            probe.outcomes.values.count {
                if case .response(let response) = $0 {
                    response.status == 200 && response.body == [1, 2, 3]
                } else {
                    false
                }
            }
        }
        #expect(bodies == 1_000)
        #expect(line.read { $0.mostOpen } <= 3)
        #expect(most.now <= 3)
    }

    @Test func `before the peer's settings only as many are sent as assumed`() async throws {
        let silent = try Silent()
        var settings = HTTP2Line.patient
        settings.initialMaximumConcurrentStreams = 1
        let line = try await HTTP2Line(to: silent.listener.address, settings)
        line.request(0..<10)
        #expect(line.read { $0.connection?.openStreams } == 1)
        #expect(line.read { $0.waiting.count } == 9)
    }

    /// Accepts and says nothing.
    final class Silent: Sendable {
        let listener: Listener
        init() throws {
            listener = try Listener(address: .loopback(), group: EventLoopGroup(count: 1)) { arrival in
                arrival.socket.start()
            }
        }
    }

    @Test func `a limit that is raised and lowered is followed`() async throws {
        let seen = SeenStreams()
        let host = try HTTP2Host(maximumConcurrentStreams: 2) { request, _ in seen.add(request.stream) }
        let line = try await HTTP2Line(to: host.server.address)
        let peer = try await host.next()
        line.request(0..<50)
        await line.wait { $0.connection?.openStreams == 2 }
        peer.act { $0.advertise(maximumConcurrentStreams: 20) }
        await line.wait { $0.connection?.openStreams == 20 }
        // Only what has arrived can be answered; a stream that came before the server knew that its new limit
        // was known is refused, and another takes its place.
        while seen.all.count < 20 { await Task.yield() }
        peer.act { $0.advertise(maximumConcurrentStreams: 1) }
        // Whatever came before the lower limit is answered as well: then one at a time is open, to the end.
        var answered = 0
        while line.read({ $0.outcomes.count }) < 50 {
            let arrived = Array(seen.all.dropFirst(answered))
            answered += arrived.count
            peer.act { connection in
                for stream in arrived { connection.respond(to: stream, HTTP2Host.ok(), body: []) }
            }
            await Task.yield()
        }
        #expect(line.read { $0.mostOpen } == 20)
        #expect(line.read { $0.connection?.openStreams } == 0)
    }

    @Test func `a refused stream is safe to send again`() async throws {
        let seen = Counter()
        let host = try HTTP2Host { request, connection in
            if seen.add() == 1 { return connection.reset(request.stream, .refusedStream) }
            HTTP2Host.answer(request, connection)
        }
        let line = try await HTTP2Line(to: host.server.address)
        line.request(0..<1)
        await line.wait { $0.outcomes[0] != nil }
        #expect(line.read { $0.outcomes[0] } == .unprocessed(.refused))
        // On a slow machine a prompt answer may come too late as well.
        for tag in 1..<100 {
            line.request(tag..<tag + 1)
            await line.wait { $0.outcomes[tag] != nil }
            if case .response? = line.read({ $0.outcomes[tag] }) { return }
        }
        Issue.record("no answer")
    }

    @Test func `a stream reset in the middle has an unknown outcome`() async throws {
        let host = try HTTP2Host { request, connection in connection.reset(request.stream, .internalError) }
        let line = try await HTTP2Line(to: host.server.address)
        line.request(0..<1)
        await line.wait { $0.outcomes[0] != nil }
        #expect(line.read { $0.outcomes[0] } == .unknown(.reset(.internalError)))
    }

    @Test func `after GOAWAY nothing more is sent, what is open is answered, then it closes`() async throws {
        let host = try HTTP2Host { request, connection in
            guard request.stream == 1 else { return }
            connection.goAway(lastStreamID: 1, debugData: Array("{\"reason\":\"Shutdown\"}".utf8))
            let me = LoopBound(connection, on: connection.loop)
            connection.loop.post { me.value.respond(to: 1, HTTP2Host.ok(), body: []) }
        }
        let line = try await HTTP2Line(to: host.server.address)
        await line.wait { $0.roomTold > 0 }
        line.request(0..<5)
        await line.wait { $0.closure != nil }
        #expect(line.read { $0.goAways } == ["{\"reason\":\"Shutdown\"}"])
        #expect(line.read { $0.closure } == .drained)
        guard case .response? = line.read({ $0.outcomes[0] }) else {
            Issue.record("the open request was not answered")
            return
        }
        for tag in 1..<5 { #expect(line.read { $0.outcomes[tag] } == .unprocessed(.refused)) }
    }

    @Test func `a connection lost in flight leaves unknown outcomes, all told before the close`() async throws
    {
        let host = try HTTP2Host { request, connection in
            if request.stream == 5 { connection.close(.reset) }
        }
        let line = try await HTTP2Line(to: host.server.address)
        await line.wait { $0.roomTold > 0 }
        line.request(0..<5)
        await line.wait { $0.closure != nil }
        #expect(line.read { probe in (0..<5).allSatisfy { probe.outcomes[$0] == .unknown(.connectionLost) } })
        guard case .lost? = line.read({ $0.closure }) else {
            Issue.record("the reset was not told")
            return
        }
    }

    @Test func `what never left the process is safe to send again`() async throws {
        let host = try HTTP2Host { _, _ in Issue.record("a request arrived") }
        let line = try await HTTP2Line(to: host.server.address)
        await line.wait { $0.roomTold > 0 }
        line.act { probe in
            let connection = probe.connection
            #expect(connection?.send(HTTP2Line.headers("/"), body: [], tag: 1) == true)
            connection?.close()
            #expect(connection?.send(HTTP2Line.headers("/"), body: [], tag: 2) == false)
        }
        await line.wait { $0.closure != nil }
        #expect(line.read { $0.outcomes } == [1: .unprocessed(.neverSent)])
        #expect(line.read { $0.closure } == .closedLocally)
    }

    @Test func `a request out of time is unknown, and a peer that answers no PING is left`() async throws {
        let host = try HTTP2Host { _, _ in Issue.record("a request arrived") }
        var settings = HTTP2Line.patient
        settings.requestTimeoutMilliseconds = 12
        settings.pingTimeoutMilliseconds = 12
        let line = try await HTTP2Line(to: host.server.address, settings)
        await line.wait { $0.roomTold > 0 }
        // Before the request: on a slow machine the PING could come with it, and be answered.
        let peer = try await host.next()
        peer.loop.sync { peer.connection.value.fallSilent() }
        line.request(0..<1)
        await line.wait { $0.closure != nil }
        #expect(line.read { $0.outcomes[0] } == .unknown(.timedOut))
        #expect(line.read { $0.closure } == .pingUnanswered)
        #expect(line.loop.sync { line.loop.timers.count } == 0)
    }

    @Test func `a slow answer costs one request, not the connection`() async throws {
        let host = try HTTP2Host { request, connection in
            if request.stream > 1 { HTTP2Host.answer(request, connection) }
        }
        var settings = HTTP2Line.patient
        settings.requestTimeoutMilliseconds = 40
        let line = try await HTTP2Line(to: host.server.address, settings)
        line.request(0..<1)
        await line.wait { $0.outcomes[0] != nil }
        #expect(line.read { $0.outcomes[0] } == .unknown(.timedOut))
        // On a slow machine a prompt answer may come too late as well.
        for tag in 1..<100 {
            line.request(tag..<tag + 1)
            await line.wait { $0.outcomes[tag] != nil }
            if case .response? = line.read({ $0.outcomes[tag] }) { return }
        }
        Issue.record("no answer")
    }

    @Test func `a connection silent for long is put to the test before it is used`() async throws {
        let host = try HTTP2Host(requested: HTTP2Host.answer)
        var settings = HTTP2Line.patient
        settings.trustMilliseconds = -1
        let line = try await HTTP2Line(to: host.server.address, settings)
        await line.wait { $0.roomTold > 0 }
        let (trusted, told) = line.read { ($0.connection?.trustedStreams(), $0.roomTold) }
        #expect(trusted == 0)
        await line.wait { $0.roomTold > told }
        #expect(line.read { $0.connection?.freeStreams } == 100)
    }

    @Test func `draining waits for what is open`() async throws {
        let seen = Counter()
        let host = try HTTP2Host { _, _ in _ = seen.add() }
        let line = try await HTTP2Line(to: host.server.address)
        let peer = try await host.next()
        line.request(0..<1)
        await line.wait { $0.roomTold > 0 }
        // Only what has arrived can be answered.
        while seen.now < 1 { await Task.yield() }
        line.act { $0.connection?.drain() }
        #expect(line.read { $0.closure } == nil)
        peer.act { $0.respond(to: 1, HTTP2Host.ok(), body: []) }
        await line.wait { $0.closure != nil }
        #expect(line.read { $0.closure } == .drained)
    }

    @Test func `a peer that does not speak HTTP2 breaks the connection`() async throws {
        let server = try serve()
        let line = try await HTTP2Line(to: server.address)
        await line.wait { $0.closure != nil }
        guard case .broken? = line.read({ $0.closure }) else {
            Issue.record("unexpected \(String(describing: line.read { $0.closure }))")
            return
        }
    }

    @Test func `it works over TLS with ALPN, large bodies both ways`() async throws {
        let tls = try TestTLS()
        let host = try HTTP2Host(tls: tls.server(["h2"]), requested: HTTP2Host.answer)
        let connector = Connector(tls: try tls.client(["h2"]), requiredProtocol: "h2")
        let line = try await HTTP2Line(to: host.server.address, connector: connector)
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 >> 3) }
        line.request(0..<8, body: body)
        await line.wait { $0.outcomes.count == 8 }
        let whole = line.read { probe in
            probe.outcomes.values.allSatisfy {
                if case .response(let response) = $0 { response.body == body } else { false }
            }
        }
        #expect(whole)
    }
}

/// The streams whose requests a server has had, in their order.
private final class SeenStreams: Sendable {
    private let streams = Mutex<[Int32]>([])

    var all: [Int32] { streams.withLock { $0 } }

    func add(_ stream: Int32) { streams.withLock { $0.append(stream) } }
}
