import Dispatch
import EventLoop
import Synchronization
import Testing

/// What is ready in one turn of a loop that was kept busy meanwhile.
struct ReadySetTests {
    /// Keeps the loop busy until `release`.
    private struct Standstill {
        private let end = DispatchSemaphore(value: 0)

        init(of loop: EventLoop) {
            let end = end
            loop.post { end.wait() }
        }

        func release() { end.signal() }
    }

    @Test func `bytes and the end that came with them are told in one turn`() async throws {
        let host = try Host { _ in }
        let server = host.group.loops[0]
        let loop = EventLoop(label: "client")
        let client = try await open(to: host.listener.address, on: loop)
        let end = try await host.next()
        let standstill = Standstill(of: server)
        client.act { stream in
            stream.send([1, 2, 3])
            stream.finishSending()
        }
        await client.wait { $0.progress.last == 3 }
        standstill.release()
        await end.wait { $0.isEnded }
        #expect(end.read { $0.received } == [1, 2, 3])
        client.act { $0.close(.immediately) }
        await end.wait { $0.isClosed }
    }

    /// The sizes of one, two and many reads, to the byte.
    @Test(arguments: [65_535, 65_536, 65_537, 131_072, 524_288])
    func `what fills the read buffer to the byte is read to its end`(count: Int) async throws {
        let host = try Host { _ in }
        let loop = EventLoop(label: "client")
        let client = try await open(to: host.listener.address, on: loop)
        let end = try await host.next()
        end.loop.sync { end.stream.value.pauseReading() }
        client.act { $0.send([UInt8](repeating: 5, count: count)) }
        await client.wait { !$0.progress.isEmpty }
        end.act { $0.resumeReading() }
        await end.wait { $0.received.count == count }
        client.act { $0.close(.gracefully) }
        await end.wait { $0.isEnded }
        #expect(end.read { $0.received.count } == count)
    }

    @Test func `a stream that another closes in the same turn is told nothing more`() async throws {
        let streams = Mutex<[LoopBound<any ByteStream>]>([])
        let closeOthers: @Sendable (any ByteStream) -> Void = { told in
            for other in streams.withLock({ $0 }) where other.value !== told {
                other.value.close(.immediately)
            }
        }
        let host = try Host { recorder in recorder.onReceive = { stream, _ in closeOthers(stream) } }
        let loop = EventLoop(label: "client")
        var clients: [End] = []
        var ends: [End] = []
        for _ in 0..<8 {
            clients.append(try await open(to: host.listener.address, on: loop))
            ends.append(try await host.next())
        }
        streams.withLock { [ends] in $0 = ends.map(\.stream) }
        let standstill = Standstill(of: host.group.loops[0])
        for client in clients { client.act { $0.send([9]) } }
        for client in clients { await client.wait { $0.progress.last == 1 } }
        standstill.release()
        for client in clients { client.act { $0.close(.gracefully) } }
        for end in ends { await end.wait { $0.isClosed } }
        #expect(ends.count { $0.read { $0.received == [9] } } == 1)
        #expect(ends.allSatisfy { $0.read { $0.closings } == 1 })
    }

    @Test func `a reset that came while reading was paused is told after resuming`() async throws {
        let host = try Host { _ in }
        let loop = EventLoop(label: "client")
        let client = try await open(to: host.listener.address, on: loop)
        let end = try await host.next()
        end.loop.sync { end.stream.value.pauseReading() }
        client.act { $0.close(.reset) }
        await client.wait { $0.isClosed }
        end.act { $0.resumeReading() }
        await end.wait { $0.isClosed }
        #expect(end.read { $0.error } != nil)
    }
}
