import EventLoop
import HTTP
import Wire

/// A client that sends bytes as they are and collects what comes. Used on its loop only.
final class RawClient: ByteStreamDelegate {
    private(set) var received: [UInt8] = []
    private(set) var isClosed = false
    private var waiters: [(condition: (RawClient) -> Bool, resume: () -> Void)] = []

    var text: String { String(decoding: received, as: UTF8.self) }

    func wake(when condition: @escaping (RawClient) -> Bool, _ resume: @escaping () -> Void) {
        waiters.append((condition, resume))
        check()
    }

    private func check() {
        let ready = waiters.filter { $0.condition(self) }
        waiters.removeAll { $0.condition(self) }
        for waiter in ready { waiter.resume() }
    }

    func byteStream(_ stream: any ByteStream, received bytes: ArraySlice<UInt8>) {
        received += bytes
        check()
    }

    func byteStreamClosed(_ stream: any ByteStream, error: StreamError?) {
        isClosed = true
        check()
    }
}

/// The test's hold on a raw client.
struct RawConnection: Sendable {
    let loop: EventLoop
    let client: LoopBound<RawClient>
    let stream: LoopBound<any ByteStream>

    init(to address: SocketAddress, on loop: EventLoop = EventLoop(label: "client")) async throws {
        self = try await withCheckedThrowingContinuation { done in
            loop.post {
                Connector().connect(to: address, on: loop) { result in
                    done.resume(with: result.map { RawConnection($0) }.mapError { $0 })
                }
            }
        }
    }

    private init(_ stream: any ByteStream) {
        loop = stream.loop
        let client = RawClient()
        self.client = LoopBound(client, on: loop)
        self.stream = LoopBound(stream, on: loop)
        stream.delegate = client
        stream.start()
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        loop.post { [stream] in stream.value.send(bytes) }
    }

    func act(_ work: @escaping @Sendable (any ByteStream) -> Void) {
        loop.post { [stream] in work(stream.value) }
    }

    func wait(until condition: @escaping @Sendable (RawClient) -> Bool) async {
        await withCheckedContinuation { done in
            loop.post { [client] in client.value.wake(when: condition) { done.resume() } }
        }
    }

    /// All that came until the server closed.
    func textToClose() async -> String {
        await wait { $0.isClosed }
        return text
    }

    var text: String { loop.sync { client.value.text } }
}

extension String {
    /// The statuses of the responses in it, in order.
    var statuses: [Int] {
        split(separator: "\r\n").flatMap { $0.split(separator: "}") }.compactMap { line in
            guard let start = line.firstRange(of: "HTTP/1.1 ")?.upperBound else { return nil }
            return Int(line[start...].prefix(3))
        }
    }
}

func problem(_ failure: HTTPServerFailure) -> HTTPResponse {
    HTTPResponse(
        status: failure.status, contentType: "application/problem+json",
        body: Array("{\"status\":\(failure.status)}".utf8))
}

/// A server that echoes method, target and body.
func echo(_ request: HTTPRequest, _ responder: HTTPResponder) {
    responder.respond(
        HTTPResponse(
            status: 200, contentType: "text/plain",
            body: Array("{\(request.method.text) \(request.target) ".utf8) + request.body + Array("}".utf8)))
}

/// No time limit that a slow machine could reach.
let patient: HTTPServerSettings = {
    var settings = HTTPServerSettings()
    settings.headerTimeoutMilliseconds = 600_000
    settings.bodyTimeoutMilliseconds = 600_000
    settings.idleTimeoutMilliseconds = 600_000
    return settings
}()

func serve(
    _ settings: HTTPServerSettings = patient, tls: TLSContext? = nil, loops: Int = 1,
    _ responder: @escaping HTTPServer.Responder = echo
) throws -> HTTPServer {
    try HTTPServer(
        address: .loopback(), group: EventLoopGroup(count: loops), settings: settings, tls: tls,
        renderer: problem,
        responder: responder)
}
