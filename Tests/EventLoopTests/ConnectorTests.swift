import EventLoop
import Testing

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
        let result = await outcome(Connector(), host: "no-such-host.invalid", port: 80, on: loop)
        guard case .failure(.name(let error)) = result else {
            Issue.record("unexpected \(result)")
            return
        }
        #expect(error.host == "no-such-host.invalid")
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
        let host = try Host()
        let port = try #require(host.listener.address.port)
        host.listener.close()
        for _ in 0..<2 { host.group.loops[0].sync {} }
        let result = await outcome(Connector(), host: "127.0.0.1", port: port, on: host.group.loops[0])
        guard case .failure(.system(let error)) = result else {
            Issue.record("unexpected \(result)")
            return
        }
        #expect(error.call == "connect")
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
