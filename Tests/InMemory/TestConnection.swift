package import EventLoop
package import Wire

/// A raw connection of a client: bytes as the test wants them, answers and frames as they come.
package final class TestConnection: Sendable {
    package enum Failure: Error {
        case notConnected, closed
        case notUpgraded(Int)
    }

    private let loop: EventLoop
    private let receiver: LoopBound<Receiver>

    private init(_ receiver: LoopBound<Receiver>, on loop: EventLoop) {
        self.receiver = receiver
        self.loop = loop
    }

    package static func open(to address: SocketAddress, on loop: EventLoop) async throws -> TestConnection {
        let receiver: LoopBound<Receiver>? = await withCheckedContinuation { done in
            loop.post {
                Connector().connect(to: address, on: loop) { result in
                    guard case .success(let stream) = result else { return done.resume(returning: nil) }
                    let receiver = Receiver(stream)
                    stream.delegate = receiver
                    stream.start()
                    done.resume(returning: LoopBound(receiver, on: loop))
                }
            }
        }
        guard let receiver else { throw Failure.notConnected }
        return TestConnection(receiver, on: loop)
    }

    package func send(_ bytes: [UInt8]) {
        loop.post { [receiver] in receiver.value.stream.send(bytes) }
    }

    package func pauseReading() {
        loop.post { [receiver] in receiver.value.stream.pauseReading() }
    }

    package func resumeReading() {
        loop.post { [receiver] in receiver.value.stream.resumeReading() }
    }

    /// Half closes: the server sees the end, reading goes on.
    package func finish() {
        loop.post { [receiver] in receiver.value.stream.finishSending() }
    }

    package func close() {
        loop.post { [receiver] in receiver.value.stream.close(.immediately) }
    }

    // MARK: - HTTP

    package func call(
        _ method: HTTPMethod, _ target: String, bearer: String? = nil, body: String? = nil,
        type: String = "application/json", headers: HTTPHeaders = HTTPHeaders()
    ) async throws -> TestAnswer {
        var headers = headers
        if let bearer { headers.add("Authorization", "Bearer \(bearer)") }
        if body != nil { headers.add("Content-Type", type) }
        var bytes: [UInt8] = []
        HTTPRequestEncoder.encode(
            method: method, target: target, host: "test", headers: headers, body: Array((body ?? "").utf8),
            into: &bytes)
        send(bytes)
        return try await answer(toHead: method == .head)
    }

    /// The next answer on the connection.
    package func answer(toHead: Bool = false) async throws -> TestAnswer {
        let response: HTTPResponse? = await withCheckedContinuation { done in
            loop.post { [receiver] in
                receiver.value.wait { receiver in
                    guard let answer = receiver.response(toHead: toHead) else {
                        guard receiver.isOver else { return false }
                        done.resume(returning: nil)
                        return true
                    }
                    done.resume(returning: answer)
                    return true
                }
            }
        }
        guard let response else { throw Failure.closed }
        return TestAnswer(response)
    }

    // MARK: - WebSocket

    /// Upgrades the connection; frames follow.
    package func upgrade(bearer: String? = nil) async throws {
        var headers = WebSocketHandshake.requestHeaders(key: SecureRandom.bytes(count: 16))
        if let bearer { headers.add("Authorization", "Bearer \(bearer)") }
        let answer = try await call(.get, "/v1/gateway", headers: headers)
        guard answer.status == 101 else { throw Failure.notUpgraded(answer.status) }
    }

    package func sendText(_ text: String) { send(Self.frame(.text, Array(text.utf8))) }

    package static func frame(_ opcode: WebSocketFrameWriter.Opcode, _ payload: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        WebSocketFrameWriter.write(opcode, payload, mask: 0x1234_5678, into: &bytes)
        return bytes
    }

    /// The next event; nil when the connection is over.
    package func event() async -> WebSocketEvent? {
        await withCheckedContinuation { done in
            loop.post { [receiver] in
                receiver.value.wait { receiver in
                    guard let event = receiver.frame() else {
                        guard receiver.isOver else { return false }
                        done.resume(returning: nil)
                        return true
                    }
                    done.resume(returning: event)
                    return true
                }
            }
        }
    }

    /// The next text frame, read as JSON; other frames are passed over.
    package func text() async throws -> JSONNode {
        while let event = await event() {
            if case .text(let bytes) = event { return try JSONDocument(parsing: bytes).root }
            if case .close(let code, _) = event { throw Failure.notUpgraded(Int(code?.rawValue ?? 0)) }
        }
        throw Failure.closed
    }

    /// The code of the close frame that ends the connection.
    package func closeCode() async -> Int? {
        while let event = await event() {
            if case .close(let code, _) = event { return code.map { Int($0.rawValue) } }
        }
        return nil
    }
}

/// An answer with its body read.
package struct TestAnswer: Sendable {
    package let response: HTTPResponse

    init(_ response: HTTPResponse) { self.response = response }

    package var status: Int { response.status }
    package var text: String { String(decoding: response.body, as: UTF8.self) }
    package var json: JSONNode? { try? JSONDocument(parsing: response.body).root }
    package var code: String? { json?["code"]?.string }
}

/// The loop's side of a test's connection.
private final class Receiver: ByteStreamDelegate {
    let stream: any ByteStream
    private(set) var isOver = false
    private var responses = HTTPResponseParser()
    private var frames: WebSocketFrameParser?
    private var waiting: ((Receiver) -> Bool)?

    init(_ stream: any ByteStream) { self.stream = stream }

    func response(toHead: Bool) -> HTTPResponse? {
        guard frames == nil, let response = try? responses.next(toHead: toHead) else { return nil }
        if response.status == 101 {
            var parser = WebSocketFrameParser(role: .client, messageLimit: 1 << 24)
            parser.append(responses.takeRemainder())
            frames = parser
        }
        return response
    }

    func frame() -> WebSocketEvent? { try? frames?.next() }

    /// One waiter at a time; asked again after whatever comes.
    func wait(_ condition: @escaping (Receiver) -> Bool) {
        if !condition(self) { waiting = condition }
    }

    private func check() {
        guard let condition = waiting, condition(self) else { return }
        waiting = nil
    }

    func byteStream(_ stream: any ByteStream, received bytes: ArraySlice<UInt8>) {
        if frames == nil { responses.append(bytes) } else { frames?.append(bytes) }
        check()
    }

    func byteStreamReachedEnd(_ stream: any ByteStream) {
        isOver = true
        check()
        stream.close(.immediately)
    }

    func byteStreamClosed(_ stream: any ByteStream, error: StreamError?) {
        isOver = true
        check()
    }
}
