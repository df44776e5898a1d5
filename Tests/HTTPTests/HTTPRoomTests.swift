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
}
