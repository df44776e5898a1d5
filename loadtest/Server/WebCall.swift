import EventLoop
import Wire

/// One HTTP/1.1 request over a connection of its own: for setting up and for looking, not for load.
final class WebCall {
    private static let timeoutMilliseconds = 30_000
    private static let limits = HTTPLimits(bodyBytes: 1 << 30)

    private let loop: EventLoop
    private let request: [UInt8]
    private let what: String
    private var done: ((Result<HTTPResponse, LoadtestFailure>) -> Void)?
    private var parser = HTTPResponseParser(limits: limits)
    private var stream: (any ByteStream)?
    private var timer: TimerToken?

    private init(
        _ request: [UInt8], _ what: String, on loop: EventLoop,
        done: @escaping (Result<HTTPResponse, LoadtestFailure>) -> Void
    ) {
        self.request = request
        self.what = what
        self.loop = loop
        self.done = done
    }

    /// - Parameter authorization: the `Authorization` field.
    static func send(
        _ method: HTTPMethod, _ target: String, to address: SocketAddress, authorization: String? = nil,
        body: [UInt8] = [], contentType: String = "application/json", on loop: EventLoop
    ) async throws(LoadtestFailure) -> HTTPResponse {
        var headers: HTTPHeaders = ["Connection": "close"]
        if let authorization { headers.add("Authorization", authorization) }
        if !body.isEmpty { headers.add("Content-Type", contentType) }
        var request: [UInt8] = []
        HTTPRequestEncoder.encode(
            method: method, target: target, host: "\(address)", headers: headers, body: body, into: &request)
        let (bytes, what) = (request, "\(method.text) \(target)")
        let result = await withCheckedContinuation { continuation in
            loop.post {
                WebCall(bytes, what, on: loop) { continuation.resume(returning: $0) }.start(address)
            }
        }
        return try result.get()
    }

    /// The JSON of an answer that must be a success.
    static func json(
        _ method: HTTPMethod, _ target: String, to address: SocketAddress, authorization: String? = nil,
        body: [UInt8] = [], on loop: EventLoop
    ) async throws(LoadtestFailure) -> JSONNode {
        let response = try await send(
            method, target, to: address, authorization: authorization, body: body, on: loop)
        guard (200..<300).contains(response.status) else {
            let text = String(decoding: response.body.prefix(400), as: UTF8.self)
            throw LoadtestFailure("\(method.text) \(target) is answered \(response.status): \(text)")
        }
        let text = response.body.isEmpty ? Array("null".utf8) : response.body
        do {
            return try JSONDocument(parsing: text, limits: JSONLimits(bytes: 1 << 30)).root
        } catch {
            throw LoadtestFailure("\(method.text) \(target) is answered with no JSON: \(error)")
        }
    }

    private func start(_ address: SocketAddress) {
        timer = loop.timers.arm(afterMilliseconds: Self.timeoutMilliseconds) { [self] in
            fail("no answer in \(Self.timeoutMilliseconds / 1_000) s")
        }
        Connector().connect(to: address, on: loop) { [self] result in
            switch result {
            case .failure(let error): fail("no connection: \(error)")
            case .success(let stream):
                self.stream = stream
                stream.delegate = self
                stream.start()
                stream.send(request)
            }
        }
    }

    private func fail(_ reason: String) { finish(.failure(LoadtestFailure("\(what): \(reason)"))) }

    private func finish(_ result: Result<HTTPResponse, LoadtestFailure>) {
        guard let done else { return }
        self.done = nil
        if let timer { loop.timers.cancel(timer) }
        stream?.close(.immediately)
        stream = nil
        done(result)
    }
}

extension WebCall: ByteStreamDelegate {
    func byteStream(_ stream: any ByteStream, received bytes: ArraySlice<UInt8>) {
        parser.append(bytes)
        do {
            if let response = try parser.next() { finish(.success(response)) }
        } catch {
            fail("an answer that is no HTTP: \(error)")
        }
    }

    func byteStreamReachedEnd(_ stream: any ByteStream) {
        if let response = try? parser.finish() { return finish(.success(response)) }
        fail("the connection ended early")
    }

    func byteStreamClosed(_ stream: any ByteStream, error: StreamError?) { fail("the connection broke") }
}
