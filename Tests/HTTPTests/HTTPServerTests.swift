import EventLoop
import HTTP
import Synchronization
import Testing
import Wire

struct HTTPServerTests {
    private static let post = "POST /v1/x?y=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
    private static let last = "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    @Test func `a request is answered and the connection lives on`() async throws {
        let server = try serve()
        let client = try await RawConnection(to: server.address)
        client.send(Self.post)
        await client.wait { $0.text.hasSuffix("{POST /v1/x?y=1 hello}") }
        client.send(Self.last)
        let text = await client.textToClose()
        #expect(text.statuses == [200, 200])
        #expect(text.hasSuffix("{GET /last }"))
        #expect(text.contains("Connection: keep-alive\r\n"))
        #expect(text.contains("Connection: close\r\n"))
    }

    @Test func `bytes may be split anywhere`() async throws {
        let server = try serve()
        let bytes = Array((Self.post + Self.last).utf8)
        let loop = EventLoop(label: "client")
        for cut in 1..<bytes.count {
            let client = try await RawConnection(to: server.address, on: loop)
            client.send(Array(bytes[..<cut]))
            await Self.turn(of: server)
            client.send(Array(bytes[cut...]))
            let text = await client.textToClose()
            #expect(text.statuses == [200, 200], "cut at \(cut)")
        }
    }

    /// A whole exchange on another connection: what was sent before has been read by then, or nearly always.
    static func turn(of server: HTTPServer, asking target: String = "/last") async {
        guard let other = try? await RawConnection(to: server.address) else { return }
        other.send("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        _ = await other.textToClose()
    }

    @Test func `pipelined requests are answered in order whichever is ready first`() async throws {
        let held = Held()
        let server = try serve { request, responder in
            if request.target == "/2" { held.release() }
            if request.target == "/0" { held.hold(responder) } else { echo(request, responder) }
        }
        let client = try await RawConnection(to: server.address)
        client.send((0..<3).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined() + Self.last)
        let text = await client.textToClose()
        let order = ["held", "{GET /1 }", "{GET /2 }", "{GET /last }"].map {
            text.firstRange(of: $0)?.lowerBound
        }
        #expect(!order.contains(nil))
        #expect(order.compactMap { $0 } == order.compactMap { $0 }.sorted())
    }

    /// Answers of which the test decides when they come, from a thread of no loop.
    final class Held: Sendable {
        private let responders = Mutex<[HTTPResponder]>([])
        private let arrivals: AsyncStream<Void>
        private let arrived: AsyncStream<Void>.Continuation

        init() { (arrivals, arrived) = AsyncStream.makeStream() }

        func hold(_ responder: HTTPResponder) {
            responders.withLock { $0.append(responder) }
            arrived.yield()
        }

        /// Waits for one more request.
        func next() async { for await _ in arrivals { return } }

        func release() {
            let taken = responders.withLock { held in
                defer { held = [] }
                return held
            }
            Task {
                for responder in taken {
                    responder.respond(HTTPResponse(status: 200, body: Array("held".utf8)))
                }
            }
        }

        var count: Int { responders.withLock { $0.count } }
    }

    @Test func `only so many requests are in flight and the rest wait in the kernel`() async throws {
        let held = Held()
        var settings = patient
        settings.maximumRequestsInFlight = 2
        let server = try serve(settings) { request, responder in
            held.hold(responder)
            #expect(held.count <= 2)
            if held.count == 2 { held.release() }
        }
        let client = try await RawConnection(to: server.address)
        client.send(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 20))
        await client.wait { $0.text.statuses.count == 20 }
        client.act { $0.close(.reset) }
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/3.0\r\nHost: a\r\n\r\n", 505),
        ("NONSENSE\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("GET /\(String(repeating: "x", count: 9_000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n", 431),
    ])
    func `what cannot be understood is answered once, by the renderer, and closed`(text: String, status: Int)
        async throws
    {
        let server = try serve()
        let client = try await RawConnection(to: server.address)
        client.send("GET /ok HTTP/1.1\r\nHost: a\r\n\r\n" + text + Self.last)
        let answer = await client.textToClose()
        #expect(answer.statuses == [200, status])
        #expect(answer.contains("application/problem+json"))
        #expect(answer.hasSuffix("{\"status\":\(status)}"))
    }

    @Test func `a client that waits for 100 Continue gets it, after the answers before`() async throws {
        let held = Held()
        let server = try serve { request, responder in
            if request.target == "/0" { held.hold(responder) } else { echo(request, responder) }
        }
        let client = try await RawConnection(to: server.address)
        client.send("GET /0 HTTP/1.1\r\nHost: a\r\n\r\n")
        client.send("POST /1 HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
        await held.next()
        await Self.turn(of: server)
        #expect(client.text.isEmpty)
        held.release()
        await client.wait { $0.text.contains("HTTP/1.1 100 Continue\r\n\r\n") }
        client.send("abc")
        await client.wait { $0.text.hasSuffix("{POST /1 abc}") }
        #expect(client.text.statuses == [200, 100, 200])
        client.act { $0.close(.reset) }
    }

    @Test func `HEAD is answered without a body and with its length`() async throws {
        let server = try serve()
        let client = try await RawConnection(to: server.address)
        client.send("HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n" + Self.last)
        let text = await client.textToClose()
        #expect(text.contains("Content-Length: 10\r\n"))
        #expect(!text.contains("HEAD /x"))
        #expect(text.statuses == [200, 200])
    }

    @Test func `a responder that lets go of the request answers 500, one that answers twice only once`()
        async throws
    {
        let server = try serve { request, responder in
            guard request.target == "/twice" else { return }
            responder.respond(HTTPResponse(status: 201))
            responder.respond(HTTPResponse(status: 202))
        }
        let client = try await RawConnection(to: server.address)
        client.send(
            "GET /never HTTP/1.1\r\nHost: a\r\n\r\nGET /twice HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        )
        #expect(await client.textToClose().statuses == [500, 201])
    }

    @Test func `a client that half closes still gets its answers`() async throws {
        let held = Held()
        let server = try serve { _, responder in held.hold(responder) }
        let client = try await RawConnection(to: server.address)
        client.act { stream in
            stream.send(Array("GET /0 HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
            stream.finishSending()
        }
        await held.next()
        held.release()
        #expect(await client.textToClose().hasSuffix("held"))
    }

    @Test func `above the maximum of connections the answer is 503`() async throws {
        var settings = patient
        settings.listener.maximumConnections = 1
        let server = try serve(settings)
        let first = try await RawConnection(to: server.address)
        first.send(Self.post)
        await first.wait { !$0.received.isEmpty }
        let second = try await RawConnection(to: server.address)
        second.send(Self.post)
        #expect(await second.textToClose().statuses == [503])
        first.send(Self.last)
        #expect(await first.textToClose().statuses == [200, 200])
    }

    @Test func `thousands of short connections leave no connection and no timer behind`() async throws {
        let group = EventLoopGroup(count: 2)
        let server = try HTTPServer(address: .loopback(), group: group, renderer: problem, responder: echo)
        let loop = EventLoop(label: "client")
        for _ in 0..<20 {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for number in 0..<50 {
                    tasks.addTask {
                        let client = try await RawConnection(to: server.address, on: loop)
                        switch number % 4 {
                        case 0: client.send(Self.last)
                        case 1:
                            client.send(Self.post)
                            client.act { $0.close(.reset) }
                        case 2:
                            client.send(String(Self.post.dropLast(2)))
                            client.act { $0.close(.gracefully) }
                        default: client.act { $0.close(.immediately) }
                        }
                        await client.wait { $0.isClosed }
                    }
                }
                try await tasks.waitForAll()
            }
        }
        await server.drain(withinMilliseconds: 5_000)
        #expect(server.openConnections == 0)
        for loop in group.loops { #expect(loop.sync { loop.timers.count } == 0) }
    }
}
