import EventLoop
import Wire

/// One HTTP/1.1 request over a connection of its own: all that commands for people need.
final class ServerCall {
    static let timeoutMilliseconds = 30_000
    private static let limits = HTTPLimits(bodyBytes: 16_777_216)

    private let address: WebAddress
    private let request: [UInt8]
    private let loop: EventLoop
    private var done: ((Result<HTTPResponse, CommandFailure>) -> Void)?
    private var parser = HTTPResponseParser(limits: limits)
    private var stream: (any ByteStream)?
    private var timer: TimerToken?

    private init(
        _ address: WebAddress, _ request: [UInt8], on loop: EventLoop,
        done: @escaping (Result<HTTPResponse, CommandFailure>) -> Void
    ) {
        self.address = address
        self.request = request
        self.loop = loop
        self.done = done
    }

    /// Sends the request and waits for the whole answer.
    static func send(
        _ request: [UInt8], to address: WebAddress, tls: TLSContext?, on loop: EventLoop
    ) async throws(CommandFailure) -> HTTPResponse {
        let result = await withCheckedContinuation { continuation in
            loop.post {
                let call = ServerCall(address, request, on: loop) { continuation.resume(returning: $0) }
                call.start(tls)
            }
        }
        return try result.get()
    }

    private func start(_ tls: TLSContext?) {
        timer = loop.timers.arm(afterMilliseconds: Self.timeoutMilliseconds) { [self] in
            finish(.failure(CommandFailure("\(address) does not answer")))
        }
        Connector(tls: tls).connect(host: address.host, port: address.port, on: loop) { [self] result in
            switch result {
            case .failure(let error):
                finish(.failure(CommandFailure("cannot connect to \(address): \(error.words)")))
            case .success(let stream):
                self.stream = stream
                stream.delegate = self
                stream.start()
                stream.send(request)
            }
        }
    }

    private func finish(_ result: Result<HTTPResponse, CommandFailure>) {
        guard let done else { return }
        self.done = nil
        if let timer { loop.timers.cancel(timer) }
        stream?.close(.immediately)
        stream = nil
        done(result)
    }
}

extension ServerCall: ByteStreamDelegate {
    func byteStream(_ stream: any ByteStream, received bytes: ArraySlice<UInt8>) {
        parser.append(bytes)
        do {
            if let response = try parser.next() { finish(.success(response)) }
        } catch {
            finish(.failure(CommandFailure("\(address) gives an answer that is no HTTP: \(error)")))
        }
    }

    func byteStreamReachedEnd(_ stream: any ByteStream) {
        if let response = try? parser.finish() { return finish(.success(response)) }
        finish(.failure(CommandFailure("\(address) hung up before its answer was whole")))
    }

    func byteStreamClosed(_ stream: any ByteStream, error: StreamError?) {
        finish(.failure(CommandFailure("the connection to \(address) broke")))
    }
}
