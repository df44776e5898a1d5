import EventLoop
import HTTP
import Synchronization
import Testing
import Wire

/// Open until an instant of a clock that the test moves.
final class LeaseLikeGate: WriteGate {
    private let now = Atomic<Int64>(0)
    private let until: Int64

    init(until: Int64 = 4_000) { self.until = until }

    var isOpen: Bool { now.load(ordering: .relaxed) < until }

    func wake(at instant: Int64) { now.store(instant, ordering: .relaxed) }
}

struct HTTPGateTests {
    private static let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let last = "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    private static func ok(_ text: String) -> HTTPResponse {
        HTTPResponse(status: 200, contentType: "text/plain", body: Array(text.utf8))
    }

    @Test func `an answer that comes past the gate is a 503, and the connection lives on`() async throws {
        let gate = LeaseLikeGate()
        let server = try serve { request, responder in
            if request.target == "/last" { return echo(request, responder) }
            gate.wake(at: 4_000)
            responder.respond(Self.ok("secret"), under: gate)
        }
        let client = try await RawConnection(to: server.address)
        client.send(Self.get + Self.last)
        let text = await client.textToClose()
        #expect(text.statuses == [503, 200] && !text.contains("secret"))
    }

    @Test func `an answer decided before the gate shut and not yet written never leaves`() async throws {
        let gate = LeaseLikeGate()
        let server = try serve { _, responder in
            responder.respond(Self.ok("secret"), under: gate)
            gate.wake(at: 4_000)
        }
        let client = try await RawConnection(to: server.address)
        client.send(Self.get)
        #expect(await client.textToClose() == "")
    }

    @Test func `an answer that waits for an earlier one is held to the gate of its own`() async throws {
        let gate = LeaseLikeGate()
        let held = HTTPServerTests.Held()
        let server = try serve { request, responder in
            if request.target == "/a" { return held.hold(responder) }
            responder.respond(Self.ok("secret"), under: gate)
            gate.wake(at: 4_000)
            held.release()
        }
        let client = try await RawConnection(to: server.address)
        client.send(Self.get)
        await held.next()
        client.send(Self.last)
        #expect(!(await client.textToClose()).contains("secret"))
    }

    @Test func `an answer without a gate leaves after a gated one has left`() async throws {
        let gate = LeaseLikeGate()
        let server = try serve { request, responder in
            responder.respond(Self.ok(request.target), under: request.target == "/a" ? gate : nil)
        }
        let client = try await RawConnection(to: server.address)
        client.send(Self.get)
        await client.wait { $0.text.hasSuffix("/a") }
        gate.wake(at: 4_000)
        client.send(Self.last)
        let text = await client.textToClose()
        #expect(text.statuses == [200, 200])
    }

    @Test func `requests that wait in an HTTP/2 connection when the gate shuts were never sent`() async throws
    {
        let gate = LeaseLikeGate()
        let host = try HTTP2Host(requested: HTTP2Host.answer)
        let line = try await HTTP2Line(to: host.server.address, gate: gate)
        line.request(0..<1)
        await line.wait { $0.outcomes.count == 1 }
        line.act { probe in
            probe.waiting += (1..<20).map { ($0, HTTP2Line.headers("/3/device/x"), [1]) }
            probe.pump()
            gate.wake(at: 4_000)
        }
        await line.wait { $0.closure != nil }
        #expect(line.read { $0.closure } == .lost(.gateShut))
        let unsent = line.read { probe in
            probe.outcomes.count { if case .unprocessed(.neverSent) = $0.value { $0.key > 0 } else { false } }
        }
        #expect(unsent == 19)
    }

    @Test func `who takes a connection over learns of an end that came before`() async throws {
        let held = HTTPServerTests.Held()
        let told = Told()
        let server = try serve { request, responder in
            if request.target == "/a" { return held.hold(responder) }
            if request.target == "/else" { return echo(request, responder) }
            responder.upgrade(headers: ["Upgrade": "x", "Connection": "Upgrade"]) { stream, _ in
                stream.delegate = told.make()
            }
        }
        let client = try await RawConnection(to: server.address)
        client.send(Self.get)
        client.send("GET /up HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
        client.act { $0.finishSending() }
        await held.next()
        await HTTPServerTests.turn(of: server, asking: "/else")
        held.release()
        await told.end()
    }

    /// Waits for the end of what was taken over.
    final class Told: Sendable {
        private let ends: AsyncStream<Void>
        private let ended: AsyncStream<Void>.Continuation

        init() { (ends, ended) = AsyncStream.makeStream() }

        func make() -> any ByteStreamDelegate { Owner(ended) }

        func end() async { for await _ in ends { return } }

        private final class Owner: ByteStreamDelegate {
            let ended: AsyncStream<Void>.Continuation
            init(_ ended: AsyncStream<Void>.Continuation) { self.ended = ended }
            func byteStream(_ stream: any ByteStream, received bytes: ArraySlice<UInt8>) {}
            func byteStreamReachedEnd(_ stream: any ByteStream) {
                ended.yield()
                stream.close(.immediately)
            }
            func byteStreamClosed(_ stream: any ByteStream, error: StreamError?) {}
        }
    }
}
