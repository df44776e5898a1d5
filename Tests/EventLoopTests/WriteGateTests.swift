import EventLoop
import Synchronization
import Testing
import Wire

/// Open until an instant of a clock that the test moves.
final class LeaseLikeGate: WriteGate {
    private let now = Atomic<Int64>(0)
    private let until: Int64
    private let asked = Atomic<Int>(0)

    init(until: Int64) { self.until = until }

    var isOpen: Bool {
        asked.add(1, ordering: .relaxed)
        return now.load(ordering: .relaxed) < until
    }

    var questions: Int { asked.load(ordering: .relaxed) }

    func wake(at instant: Int64) { now.store(instant, ordering: .relaxed) }
}

struct WriteGateTests {
    private static let megabytes = [UInt8](repeating: 7, count: 8_000_000)

    @Test func `bytes that wait when the gate shuts never leave, those the kernel has do`() async throws {
        let host = try Host(loops: 2) { _ in }
        let client = try await host.connect()
        let server = try await host.next()
        let gate = LeaseLikeGate(until: 4_000)
        client.act { $0.pauseReading() }
        server.act { stream in
            stream.gate = gate
            stream.send(Self.megabytes)
        }
        await server.wait { !$0.progress.isEmpty }
        // Stopped and woken up past the lease, with megabytes still queued.
        gate.wake(at: 4_000)
        client.act { $0.resumeReading() }
        await server.wait { $0.isClosed }
        await client.wait { $0.isClosed }
        #expect(server.read { $0.error } == .gateShut)
        let taken = server.read { $0.progress.last ?? 0 }
        #expect(taken < UInt64(Self.megabytes.count))
        #expect(client.read { UInt64($0.received.count) } == taken)
    }

    @Test func `what is queued and not yet tried does not leave either`() async throws {
        let host = try Host(loops: 2) { _ in }
        let client = try await host.connect()
        let server = try await host.next()
        let gate = LeaseLikeGate(until: 4_000)
        server.act { stream in
            stream.gate = gate
            stream.send([1, 2, 3])
            gate.wake(at: 5_000)
        }
        await client.wait { $0.isClosed || $0.isEnded }
        await server.wait { $0.isClosed }
        #expect(client.read { $0.received.isEmpty })
        #expect(server.read { $0.error } == .gateShut)
        #expect(gate.questions == 1)
    }

    @Test func `a graceful close at a shut gate drops what is queued`() async throws {
        let host = try Host(loops: 2) { _ in }
        let client = try await host.connect()
        let server = try await host.next()
        let gate = LeaseLikeGate(until: 0)
        server.act { stream in
            stream.gate = gate
            stream.send([1])
            stream.close(.gracefully)
        }
        await server.wait { $0.isClosed }
        await client.wait { $0.isClosed }
        #expect(client.read { $0.received.isEmpty })
    }

    @Test func `an open gate, and one taken away, are in nobody's way`() async throws {
        let host = try Host(loops: 2) { _ in }
        let client = try await host.connect()
        let server = try await host.next()
        let gate = LeaseLikeGate(until: 1)
        server.act { stream in
            stream.gate = gate
            stream.send([1])
        }
        await client.wait { $0.received == [1] }
        gate.wake(at: 1)
        server.act { stream in
            stream.gate = nil
            stream.send([2])
        }
        await client.wait { $0.received == [1, 2] }
    }
}
