import Testing

@testable import EventLoop

struct ConnectorTests {
    private func outcome(
        _ connector: Connector, host: String, port: UInt16, on loop: EventLoop
    ) async -> Result<End, ConnectError> {
        await withCheckedContinuation { done in
            loop.post {
                connector.connect(host: host, port: port, on: loop) {
                    done.resume(returning: $0.map { End($0) })
                }
            }
        }
    }

    @Test func `a name that does not exist is told as such`() async {
        let loop = EventLoop(label: "connector")
        // Too long for a part of a name: known without asking a name server, which may be slow or away.
        let name = String(repeating: "x", count: 64) + ".invalid"
        let result = await outcome(Connector(), host: name, port: 80, on: loop)
        guard case .failure(.name(let error)) = result else {
            Issue.record("unexpected \(result)")
            return
        }
        #expect(error.host == name)
    }

    @Test func `an address that is not admitted is never connected to`() async throws {
        let host = try Host()
        let connector = Connector(admits: { $0.isGloballyReachable })
        let port = try #require(host.listener.address.port)
        let result = await outcome(connector, host: "127.0.0.1", port: port, on: host.group.loops[0])
        guard case .failure(.noAdmittedAddress(host: "127.0.0.1")) = result else {
            Issue.record("unexpected \(result)")
            return
        }
        #expect(host.listener.openCount == 0)
    }

    @Test func `localhost is looked up and its addresses tried in turn`() async throws {
        let host = try Host()
        let port = try #require(host.listener.address.port)
        let result = await outcome(Connector(), host: "localhost", port: port, on: host.group.loops[0])
        let end = try result.get()
        end.act { $0.send([1]) }
        let server = try await host.next()
        await server.wait { $0.received == [1] }
    }

    @Test func `nobody listening is a system error`() async throws {
        let held = try HeldPort()
        let port = try #require(held.address.port)
        let loop = EventLoop(label: "connector")
        let result = await outcome(Connector(), host: "127.0.0.1", port: port, on: loop)
        guard case .failure(.system(let error)) = result else {
            Issue.record("unexpected \(result)")
            return
        }
        #expect(error.call == "connect")
        withExtendedLifetime(held) {}
    }

    /// A port at which nobody listens, and that nobody else gets meanwhile.
    private final class HeldPort {
        let address: SocketAddress
        private let descriptor: Int32

        init() throws {
            descriptor = try System.socket(for: .loopback())
            try System.bind(descriptor, to: .loopback())
            address = try #require(System.localAddress(of: descriptor))
        }

        deinit { System.close(descriptor) }
    }

    @Test func `a cancelled connection leaves no timer`() {
        let loop = EventLoop(label: "connector")
        let count = loop.sync {
            let connecting = Connector().connect(to: .loopback(port: 9), on: loop) { _ in
                Issue.record("completed after cancel")
            }
            connecting.cancel()
            return loop.timers.count
        }
        #expect(count == 0)
        loop.sync {}
    }
}
