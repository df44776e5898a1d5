import EventLoop
import HTTP
import Testing
import Wire

struct HTTPServerStreamTests {
    /// What a test of streams waits for.
    final class Told: Sendable {
        let closed: AsyncStream<Void>
        let onClose: @Sendable () -> Void
        init() {
            let (closed, teller) = AsyncStream<Void>.makeStream()
            self.closed = closed
            onClose = { teller.yield() }
        }
        func wait() async { for await _ in closed { return } }
    }

    @Test func `a streaming answer arrives in chunks and the connection lives on`() async throws {
        let told = Told()
        let server = try serve { request, responder in
            guard request.target == "/events" else { return echo(request, responder) }
            let stream = responder.stream(
                headers: ["Content-Type": "text/event-stream"], onClose: told.onClose)
            Task {
                stream.send(Array("data: 1\n\n".utf8))
                stream.send(Array("data: 2\n\n".utf8))
                stream.finish()
                stream.send([1])
            }
        }
        let client = try await RawConnection(to: server.address)
        client.send(
            "GET /events HTTP/1.1\r\nHost: a\r\n\r\nGET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let text = await client.textToClose()
        #expect(text.contains("9\r\ndata: 1\n\n\r\n9\r\ndata: 2\n\n\r\n0\r\n\r\nHTTP/1.1 200"))
        await told.wait()
    }

    @Test func `a client that leaves a stream is noticed`() async throws {
        let told = Told()
        let server = try serve { _, responder in
            responder.stream(headers: [:], onClose: told.onClose).send([0x41])
        }
        let client = try await RawConnection(to: server.address)
        client.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
        await client.wait { $0.text.hasSuffix("1\r\nA\r\n") }
        client.act { $0.close(.gracefully) }
        await told.wait()
    }

    @Test func `a client too slow for its stream is cut off`() async throws {
        let told = Told()
        let server = try serve { _, responder in
            let stream = responder.stream(headers: [:], onClose: told.onClose)
            // More than the kernel takes and the server holds.
            for _ in 0..<300 { stream.send([UInt8](repeating: 0x41, count: 100_000)) }
        }
        let client = try await RawConnection(to: server.address)
        client.act { $0.pauseReading() }
        client.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
        await told.wait()
        client.act { $0.close(.reset) }
    }

    @Test func `an upgraded connection is given away with the bytes that followed`() async throws {
        let server = try serve { request, responder in
            responder.upgrade(headers: ["Upgrade": "shout", "Connection": "Upgrade"]) { stream, rest in
                let shouter = Shouter()
                stream.delegate = shouter
                shouter.byteStream(stream, received: rest[...])
            }
        }
        let client = try await RawConnection(to: server.address)
        client.send("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: shout\r\nConnection: Upgrade\r\n\r\nab")
        await client.wait { $0.text.hasSuffix("\r\n\r\nAB") }
        client.send("cd")
        await client.wait { $0.text.hasSuffix("ABCD") }
        #expect(client.text.statuses == [101])
        client.act { $0.close(.gracefully) }
        await client.wait { $0.isClosed }
    }

    final class Shouter: ByteStreamDelegate {
        func byteStream(_ stream: any ByteStream, received bytes: ArraySlice<UInt8>) {
            stream.send(bytes.map { $0 & 0xdf })
        }
        func byteStreamClosed(_ stream: any ByteStream, error: StreamError?) {}
    }

    @Test func `an upgrade that is declined goes on as HTTP`() async throws {
        let held = HTTPServerTests.Held()
        let server = try serve { request, responder in
            if request.headers.contains("Upgrade") { held.hold(responder) } else { echo(request, responder) }
        }
        let client = try await RawConnection(to: server.address)
        client.send("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n")
        client.send("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        await held.next()
        held.release()
        let text = await client.textToClose()
        #expect(text.statuses == [200, 200])
    }
}
