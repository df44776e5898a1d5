import EventLoop
import Synchronization
import Testing

struct ListenerTests {
    @Test func `out of descriptors it pauses instead of spinning, and goes on when one is closed`()
        async throws
    {
        let shared = Shared()
        var settings = Listener.Settings()
        settings.pauseMilliseconds = 600_000
        let host = try Host(
            settings: settings,
            accept: { descriptor in
                guard shared.isFull.load(ordering: .relaxed) else {
                    return Listener.systemAccept(descriptor)
                }
                shared.calls.add(1, ordering: .relaxed)
                return .failure(SystemError(call: "accept", code: 24))  // EMFILE
            })
        let first = try await host.connect()
        _ = try await host.next()
        shared.isFull.store(true, ordering: .relaxed)
        let second = try await host.connect()
        let third = try await host.connect()
        // A call that fails, and one over the spare descriptor; when that turn is over it has paused.
        while shared.calls.load(ordering: .relaxed) < 2 { await Task.yield() }
        for loop in host.group.loops { loop.sync {} }
        #expect(shared.calls.load(ordering: .relaxed) == 2)
        shared.isFull.store(false, ordering: .relaxed)
        first.act { $0.close(.reset) }
        for waiting in [second, third] {
            waiting.act { $0.send([1]) }
            let server = try await host.next()
            await server.wait { $0.received == [1] }
        }
    }

    @Test func `with one spare descriptor those who come hear that there is no room, then others are served`()
        async throws
    {
        let shared = Shared()
        var settings = Listener.Settings()
        settings.pauseMilliseconds = 600_000
        settings.refusal = { [7, 7, 7] }
        let host = try Host(
            settings: settings,
            accept: { descriptor in
                // A full table: nothing is left but what the listener has just given up.
                let isSpare = shared.calls.add(1, ordering: .relaxed).oldValue % 2 == 1
                guard shared.isFull.load(ordering: .relaxed), !isSpare else {
                    return Listener.systemAccept(descriptor)
                }
                return .failure(SystemError(call: "accept", code: 24))
            })
        shared.isFull.store(true, ordering: .relaxed)
        for _ in 0..<5 {
            let refused = try await host.connect()
            refused.act { $0.send([1, 2, 3]) }
            await refused.wait { $0.isEnded || $0.isClosed }
            #expect(refused.read { $0.received } == [7, 7, 7])
        }
        shared.isFull.store(false, ordering: .relaxed)
        let served = try await host.connect()
        let server = try await host.next()
        served.act { $0.send([9]) }
        await server.wait { $0.received == [9] }
        #expect(host.listener.openCount == 1)
    }

    /// Atomics in a class, for a closure may not hold them.
    final class Shared: Sendable {
        let calls = Atomic<Int>(0)
        let isFull = Atomic<Bool>(false)
    }

    @Test func `above the maximum a connection is handed over to be refused, above that it is reset`()
        async throws
    {
        let (arrivals, arrived) = AsyncStream<Bool>.makeStream()
        var settings = Listener.Settings()
        settings.maximumConnections = 1
        settings.maximumRefusals = 1
        let group = EventLoopGroup(count: 1)
        let keep = group.loops[0].sync { LoopBound(Kept(), on: group.loops[0]) }
        let listener = try Listener(address: .loopback(), group: group, settings: settings) { arrival in
            keep.value.sockets.append(arrival.socket)
            arrived.yield(arrival.isRefused)
        }
        var ends: [End] = []
        for _ in 0..<2 { ends.append(try await open(to: listener.address, on: group.loops[0])) }
        var told: [Bool] = []
        for await isRefused in arrivals {
            told.append(isRefused)
            if told.count == 2 { break }
        }
        #expect(told == [false, true])
        // The reset may come as early as the connection does.
        if let third = try? await open(to: listener.address, on: group.loops[0]) {
            await third.wait { $0.isClosed }
            #expect(third.read { $0.error } != nil)
        }
        #expect(listener.openCount == 2)
        listener.close()
    }

    final class Kept { var sockets: [StreamSocket] = [] }

    @Test func `a port in use is an error with the call's name`() throws {
        let host = try Host()
        let error = #expect(throws: SystemError.self) { _ = try Host(address: host.listener.address) }
        #expect(error?.call == "bind")
    }

    @Test func `a closed listener refuses connections`() async throws {
        // At an address that nobody else gets when it is free.
        let host = try Host(address: .unix(path: "/tmp/rouse-\(UInt64.random(in: 0 ... .max)).sock"))
        let first = try await host.connect()
        host.listener.close()
        // The kernel takes connections until the descriptor is closed, in a later turn.
        while let late = try? await host.connect() { late.act { $0.close(.reset) } }
        await #expect(throws: ConnectError.self) { _ = try await host.connect() }
        first.act { $0.send([1]) }
        await first.wait { $0.progress == [1] }
    }
}
