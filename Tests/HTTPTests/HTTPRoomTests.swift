import EventLoop
import HTTP
import Synchronization
import Testing
import Wire

struct HTTPRoomTests {
    private static let last = "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    final class Table: Sendable {
        let isFull = Atomic<Bool>(true)
        let calls = Atomic<Int>(0)
    }

    /// A process whose last descriptor is the one that the listener gives up for the purpose.
    private func full(_ table: Table) -> Listener.Accept {
        { descriptor in
            let isSpare = table.calls.add(1, ordering: .relaxed).oldValue % 2 == 1
            guard table.isFull.load(ordering: .relaxed), !isSpare else {
                return Listener.systemAccept(descriptor)
            }
            return .failure(SystemError(call: "accept", code: 24))
        }
    }

    private func serve(_ table: Table, tls: TLSContext? = nil) throws -> HTTPServer {
        try HTTPServer(
            address: .loopback(), group: EventLoopGroup(count: 1), settings: patient, tls: tls,
            accept: full(table), renderer: problem, responder: echo)
    }

    @Test func `out of descriptors a client hears 503, and is served once there are some`() async throws {
        let table = Table()
        let server = try serve(table)
        for _ in 0..<3 {
            let client = try await RawConnection(to: server.address)
            let text = await client.textToClose()
            #expect(text.statuses == [503] && text.contains("Connection: close\r\n"))
        }
        table.isFull.store(false, ordering: .relaxed)
        let client = try await RawConnection(to: server.address)
        client.send(Self.last)
        #expect(await client.textToClose().statuses == [200])
    }

    @Test func `above the maximum and what may linger beyond it, each still hears 503`() async throws {
        var settings = patient
        settings.listener.maximumConnections = 1
        settings.listener.maximumRefusals = 0
        let server = try HTTPRoomTests.serve(settings)
        let first = try await RawConnection(to: server.address)
        first.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
        await first.wait { $0.text.hasSuffix("{GET /first }") }
        for _ in 0..<20 {
            let client = try await RawConnection(to: server.address)
            #expect(await client.textToClose().statuses == [503])
        }
        first.act { $0.close(.reset) }
        while server.openConnections > 0 { await Task.yield() }
        let next = try await RawConnection(to: server.address)
        next.send(Self.last)
        #expect(await next.textToClose().statuses == [200])
    }

    private static func serve(_ settings: HTTPServerSettings) throws -> HTTPServer {
        try HTTPServer(
            address: .loopback(), group: EventLoopGroup(count: 1), settings: settings, renderer: problem,
            responder: echo)
    }
}
