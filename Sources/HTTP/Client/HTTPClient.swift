package import EventLoop
package import Wire

/// Why a request brought no answer.
package enum HTTPClientError: Error, Equatable {
    case badURL
    /// Nothing was sent.
    case connect(ConnectError)
    /// The request may have been processed.
    case lost(StreamError)
    /// The server hung up before its answer was whole.
    case noAnswer
    case parse(HTTPParseError)
    case timedOut
}

/// Requests now and then over HTTP/1.1, each on a connection of its own; no redirects, no cookies.
package struct HTTPClient: Sendable {
    /// How servers are reached; its `tls` is used for https only.
    package var connector: Connector
    package var limits: HTTPLimits
    /// For the whole exchange, the connection included.
    package var timeoutMilliseconds: Int

    package init(
        connector: Connector, limits: HTTPLimits = HTTPLimits(), timeoutMilliseconds: Int = 30_000
    ) {
        self.connector = connector
        self.limits = limits
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    /// Any status is an answer. Call from anywhere but the loop's own blocking work.
    package func send(
        _ method: HTTPMethod, _ url: String, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = [],
        on loop: EventLoop
    ) async throws(HTTPClientError) -> HTTPResponse {
        let result = await withCheckedContinuation { done in
            loop.post {
                send(method, url, headers: headers, body: body, on: loop) { done.resume(returning: $0) }
            }
        }
        return try result.get()
    }

    /// Call on the loop; completes there, later and once.
    package func send(
        _ method: HTTPMethod, _ url: String, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = [],
        on loop: EventLoop, completion: @escaping (Result<HTTPResponse, HTTPClientError>) -> Void
    ) {
        let exchange = HTTPExchange(isHead: method == .head, limits: limits, on: loop, completion: completion)
        exchange.start(timeoutMilliseconds: timeoutMilliseconds)
        guard let url = HTTPURL(url), !url.isSecure || connector.tls != nil else {
            return exchange.failSoon(.badURL)
        }
        var connector = connector
        if !url.isSecure {
            connector.tls = nil
            connector.requiredProtocol = nil
        }
        var headers = headers
        headers.replace("Connection", with: "close")
        var bytes: [UInt8] = []
        HTTPRequestEncoder.encode(
            method: method, target: url.target, host: url.authority, headers: headers, body: body,
            into: &bytes)
        exchange.connecting = connector.connect(host: url.host, port: url.port, on: loop) { [bytes] in
            exchange.connected($0, request: bytes)
        }
    }
}

/// One request on its way; keeps itself alive through its timer and its stream.
private final class HTTPExchange: ByteStreamDelegate {
    var connecting: Connecting?
    private let loop: EventLoop
    private let isHead: Bool
    private var parser: HTTPResponseParser
    private var completion: ((Result<HTTPResponse, HTTPClientError>) -> Void)?
    private var stream: (any ByteStream)?
    private var timer: TimerToken?

    init(
        isHead: Bool, limits: HTTPLimits, on loop: EventLoop,
        completion: @escaping (Result<HTTPResponse, HTTPClientError>) -> Void
    ) {
        self.loop = loop
        self.isHead = isHead
        self.completion = completion
        parser = HTTPResponseParser(limits: limits)
    }

    func start(timeoutMilliseconds: Int) {
        timer = loop.timers.arm(afterMilliseconds: timeoutMilliseconds) { self.finish(.failure(.timedOut)) }
    }

    func failSoon(_ error: HTTPClientError) {
        let me = LoopBound(self, on: loop)
        loop.post { me.value.finish(.failure(error)) }
    }

    func connected(_ result: Result<any ByteStream, ConnectError>, request: [UInt8]) {
        connecting = nil
        switch result {
        case .failure(let error): finish(.failure(.connect(error)))
        case .success(let stream):
            self.stream = stream
            stream.delegate = self
            stream.start()
            stream.send(request)
        }
    }

    func byteStream(_ stream: any ByteStream, received bytes: ArraySlice<UInt8>) {
        parser.append(bytes)
        do {
            if let response = try parser.next(toHead: isHead) { finish(.success(response)) }
        } catch {
            finish(.failure(.parse(error)))
        }
    }

    func byteStreamReachedEnd(_ stream: any ByteStream) {
        do {
            if let response = try parser.finish() {
                finish(.success(response))
            } else {
                finish(.failure(.noAnswer))
            }
        } catch {
            finish(.failure(.parse(error)))
        }
    }

    func byteStreamClosed(_ stream: any ByteStream, error: StreamError?) {
        finish(.failure(error.map { .lost($0) } ?? .noAnswer))
    }

    private func finish(_ result: Result<HTTPResponse, HTTPClientError>) {
        guard let completion else { return }
        self.completion = nil
        if let timer { loop.timers.cancel(timer) }
        timer = nil
        connecting?.cancel()
        connecting = nil
        stream?.close(.immediately)
        stream = nil
        completion(result)
    }
}
