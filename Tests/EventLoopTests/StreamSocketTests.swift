import EventLoop
import Testing

struct StreamSocketTests {
    private static let megabytes = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    @Test func `bytes come back from an echo, in order and complete`() async throws {
        let host = try Host(loops: 2) { $0.onReceive = { $0.send(Array($1)) } }
        let client = try await host.connect()
        client.act { $0.send(Self.megabytes) }
        await client.wait { $0.received.count == Self.megabytes.count }
        #expect(client.read { $0.received == Self.megabytes })
        client.act { $0.close(.gracefully) }
        await client.wait { $0.isClosed }
        #expect(client.read { $0.error } == nil)
    }

    @Test func `progress is told up to the last byte and never from within send`() async throws {
        let host = try Host()
        let client = try await host.connect()
        client.act { stream in
            stream.send([1, 2, 3])
            #expect(stream.sentOffset == 0)
            #expect(stream.unsentByteCount == 3)
            stream.send([4])
        }
        await client.wait { $0.progress.last == 4 }
        #expect(client.read { $0.progress } == [4])
    }

    @Test func `a slow reader holds progress back until it reads`() async throws {
        let host = try Host(loops: 2) { _ in }
        let client = try await host.connect()
        let server = try await host.next()
        client.act { $0.pauseReading() }
        server.act { $0.send(Self.megabytes + Self.megabytes) }
        await server.wait { !$0.progress.isEmpty }
        #expect(server.loop.sync { server.stream.value.unsentByteCount } > 0)
        client.act { $0.resumeReading() }
        await server.wait { $0.progress.last == UInt64(2 * Self.megabytes.count) }
        await client.wait { $0.received.count == 2 * Self.megabytes.count }
        let progress = server.read { $0.progress }
        #expect(progress == progress.sorted())
    }

    @Test func `a paused reader is told nothing, and everything afterwards, also the end`() async throws {
        let host = try Host(loops: 2) { _ in }
        let client = try await host.connect()
        let server = try await host.next()
        server.loop.sync { server.stream.value.pauseReading() }
        client.act { stream in
            stream.send([UInt8](repeating: 7, count: 10_000))
            stream.close(.gracefully)
        }
        await client.wait { $0.progress.last == 10_000 }
        #expect(server.read { $0.received.isEmpty && !$0.isEnded })
        server.act { $0.resumeReading() }
        await server.wait { $0.isClosed }
        #expect(server.read { $0.received.count } == 10_000)
    }

    @Test func `after a half close the other direction goes on`() async throws {
        let host = try Host { recorder in
            recorder.onEnd = { stream in
                stream.send([9, 9])
                stream.close(.gracefully)
            }
        }
        let client = try await host.connect()
        client.act { stream in
            stream.send([1])
            stream.finishSending()
            stream.send([2])
        }
        await client.wait { $0.isClosed }
        #expect(client.read { $0.received } == [9, 9])
        let server = try await host.next()
        await server.wait { $0.isClosed }
        #expect(server.read { $0.received } == [1])
    }

    @Test func `a graceful close delivers what was queued, however much`() async throws {
        let host = try Host(loops: 2) { recorder in
            recorder.onReceive = { stream, _ in
                stream.send(Self.megabytes)
                stream.close(.gracefully)
            }
        }
        let client = try await host.connect()
        client.act { $0.send([UInt8](repeating: 1, count: 100_000)) }
        await client.wait { $0.isClosed }
        #expect(client.read { $0.received.count } == Self.megabytes.count)
    }

    @Test func `a reset is reported once as an error`() async throws {
        let host = try Host()
        let client = try await host.connect()
        let server = try await host.next()
        server.act { $0.close(.reset) }
        await client.wait { $0.isClosed }
        guard case .system? = client.read({ $0.error }) else {
            Issue.record("no error told")
            return
        }
        await server.wait { $0.isClosed }
        #expect(server.read { $0.error } == nil)
        #expect(server.read { $0.closings } == 1)
    }

    @Test func `a peer that never reads is given up after ten seconds, not kept`() async throws {
        let host = try Host(loops: 2) { _ in }
        let client = try await host.connect()
        let server = try await host.next()
        client.act { $0.pauseReading() }
        server.act { stream in
            stream.send(Self.megabytes + Self.megabytes)
            stream.close(.gracefully)
        }
        await server.wait { !$0.progress.isEmpty || $0.isClosed }
        #expect(server.loop.sync { server.loop.timers.count } == 1)
        server.act { $0.close(.immediately) }
        await server.wait { $0.isClosed }
        #expect(server.loop.sync { server.loop.timers.count } == 0)
        client.act { $0.close(.reset) }
        await client.wait { $0.isClosed }
    }

    @Test func `a peer that has not taken all in time is cut off, and that is told`() async throws {
        let host = try Host(loops: 2) { _ in }
        for loop in host.group.loops { loop.sync { loop.stallMilliseconds = 8 } }
        let client = try await host.connect()
        let server = try await host.next()
        client.act { $0.pauseReading() }
        server.act { stream in
            stream.send(Self.megabytes + Self.megabytes)
            stream.close(.gracefully)
        }
        await server.wait { $0.isClosed }
        #expect(server.read { $0.error } == .stalled)
        client.act { $0.close(.reset) }
        await client.wait { $0.isClosed }
    }

    @Test func `thousands of short connections leave no descriptor and no timer behind`() async throws {
        let host = try Host(loops: 3) { recorder in
            recorder.onReceive = { stream, bytes in
                switch bytes.first {
                case 0: stream.close(.immediately)
                case 1: stream.close(.reset)
                case 2:
                    stream.send([UInt8](repeating: 5, count: 300_000))
                    stream.close(.gracefully)
                default: stream.send(Array(bytes))
                }
            }
        }
        for round in 0..<20 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let client = try await host.connect()
                        client.act { $0.send([UInt8(number % 4)]) }
                        if number % 4 == 3 {
                            await client.wait { $0.received.count == 1 }
                            client.act { $0.close(round % 2 == 0 ? .gracefully : .reset) }
                        }
                        await client.wait { $0.isClosed }
                        #expect(client.read { $0.closings } == 1)
                    }
                }
                try await group.waitForAll()
            }
        }
        for _ in 0..<2_000 {
            let server = try await host.next()
            await server.wait { $0.isClosed }
        }
        #expect(host.listener.openCount == 0)
        for loop in host.group.loops { #expect(loop.sync { loop.timers.count } == 0) }
    }

    @Test func `a Unix socket carries bytes too`() async throws {
        let path = "/tmp/rouse-\(UInt64.random(in: 0 ... .max)).sock"
        let host = try Host(address: .unix(path: path)) { $0.onReceive = { $0.send(Array($1)) } }
        let client = try await host.connect()
        client.act { $0.send([1, 2, 3]) }
        await client.wait { $0.received == [1, 2, 3] }
        client.act { $0.close(.gracefully) }
        await client.wait { $0.isClosed }
        #expect(throws: Never.self) { _ = try Host(address: .unix(path: path)) }
    }
}
