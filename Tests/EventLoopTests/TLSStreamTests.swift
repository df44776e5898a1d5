import EventLoop
import Testing
import Wire

struct TLSStreamTests {
    private static let authority = Result { try X509.Authority(name: "Test", validity: validity) }
    private static let validity = X509.Validity(from: 1_577_836_800, until: 4_102_444_800)  // 2020 to 2100

    private struct Pair {
        let server: TLSContext
        let client: TLSContext

        init(serverProtocols: [String] = ["h2"], clientProtocols: [String] = ["h2"]) throws {
            let authority = try TLSStreamTests.authority.get()
            let identity = try authority.issue(for: X509.Name.loopback, validity: validity)
            server = try TLSContext.server(
                certificateChainPEM: Array(identity.certificatePEM.utf8),
                privateKeyPEM: Array(identity.privateKeyPEM.utf8), protocols: serverProtocols)
            client = try TLSContext.client(
                trust: .certificates(pem: Array(authority.certificatePEM.utf8)), protocols: clientProtocols)
        }
    }

    /// A listener that speaks TLS; arrivals come as they are accepted, before their handshake.
    private final class SecureHost: Sendable {
        let group = EventLoopGroup(count: 2)
        let listener: Listener
        let arrivals: AsyncStream<End>

        init(_ context: TLSContext, setUp: @escaping @Sendable (Recorder) -> Void = { _ in }) throws {
            let (arrivals, arrived) = AsyncStream<End>.makeStream()
            self.arrivals = arrivals
            listener = try Listener(address: .loopback(), group: group) { arrival in
                guard let session = try? context.serverSession() else { return }
                arrived.yield(End(TLSStream(over: arrival.socket, session: session), setUp))
            }
        }

        func next() async throws -> End {
            for await end in arrivals { return end }
            throw CancellationError()
        }

        deinit { listener.close() }
    }

    private static let bulk = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) }

    @Test func `a large text comes back whole through TLS, with its offsets counted in plaintext`()
        async throws
    {
        let pair = try Pair()
        let host = try SecureHost(pair.server) { $0.onReceive = { $0.send(Array($1)) } }
        let connector = Connector(tls: pair.client, requiredProtocol: "h2")
        let client = try await open(to: host.listener.address, on: host.group.next(), connector)
        client.act { $0.send(Self.bulk) }
        await client.wait {
            $0.received.count == Self.bulk.count && $0.progress.last == UInt64(Self.bulk.count)
        }
        #expect(client.read { $0.received == Self.bulk })
        let server = try await host.next()
        await server.wait { $0.progress.last == UInt64(Self.bulk.count) }
        client.act { $0.close(.gracefully) }
        await client.wait { $0.isClosed }
        await server.wait { $0.isClosed }
        #expect(client.read { $0.error } == nil)
        #expect(server.read { $0.error } == nil)
        #expect(server.read { $0.isEnded })
    }

    @Test func `a server may speak first, in the turn in which it is accepted`() async throws {
        let pair = try Pair()
        let host = try SecureHost(pair.server)
        async let arriving = host.next()
        let client = try await open(
            to: host.listener.address, on: host.group.next(), Connector(tls: pair.client))
        let server = try await arriving
        server.act { stream in
            stream.send([1, 2])
            stream.close(.gracefully)
        }
        await client.wait { $0.isClosed }
        #expect(client.read { $0.received } == [1, 2])
        #expect(client.read { $0.error } == nil)
    }

    @Test func `a shut gate holds back what is encrypted already`() async throws {
        let pair = try Pair()
        let host = try SecureHost(pair.server)
        async let arriving = host.next()
        let client = try await open(
            to: host.listener.address, on: host.group.next(), Connector(tls: pair.client))
        let server = try await arriving
        let gate = LeaseLikeGate(until: 4_000)
        server.act { stream in
            stream.gate = gate
            stream.send([1, 2])
        }
        await client.wait { $0.received == [1, 2] }
        server.act { stream in
            stream.send([3, 4])
            gate.wake(at: 4_000)
        }
        await server.wait { $0.isClosed }
        await client.wait { $0.isClosed }
        #expect(client.read { $0.received } == [1, 2])
        #expect(server.read { $0.error } == .gateShut)
    }

    @Test func `a certificate for another host is refused`() async throws {
        let pair = try Pair()
        let host = try SecureHost(pair.server)
        let connector = Connector(tls: pair.client)
        let error = await #expect(throws: ConnectError.self) {
            _ = try await open(
                to: host.listener.address, on: host.group.next(), connector, host: "push.example")
        }
        guard case .tls(.peerNotTrusted) = error else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
        let server = try await host.next()
        await server.wait { $0.isClosed }
        #expect(server.read { $0.error } != nil)
    }

    @Test func `a peer that answers in plain text is refused, not waited for`() async throws {
        let pair = try Pair()
        let host = try Host(setUp: { $0.onReceive = { stream, _ in stream.send(Array("HTTP/1.1 400".utf8)) } }
        )
        await #expect(throws: ConnectError.self) { _ = try await host.connect(Connector(tls: pair.client)) }
    }

    @Test func `an end without close_notify is an error`() async throws {
        let pair = try Pair()
        let host = try SecureHost(pair.server)
        let client = try await open(
            to: host.listener.address, on: host.group.next(), Connector(tls: pair.client))
        let server = try await host.next()
        server.act { $0.close(.immediately) }
        await client.wait { $0.isClosed }
        #expect(client.read { $0.error } != nil)
    }

    @Test func `a handshake that does not end times out`() async throws {
        let pair = try Pair()
        let host = try Host()
        let connector = Connector(tls: pair.client, timeoutMilliseconds: 20)
        let error = await #expect(throws: ConnectError.self) { _ = try await host.connect(connector) }
        #expect(error == .timedOut)
        let server = try await host.next()
        await server.wait { $0.isClosed }
        for loop in host.group.loops { #expect(loop.sync { loop.timers.count } == 0) }
    }
}
