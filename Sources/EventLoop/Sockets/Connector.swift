package import Wire

/// Why no connection came about; nothing was sent to the peer beyond a handshake.
package enum ConnectError: Error, Equatable {
    case name(NameError)
    /// The name leads only to addresses that the caller does not admit.
    case noAdmittedAddress(host: String)
    /// The last of the addresses tried.
    case system(SystemError)
    case tls(TLSError)
    /// The peer hung up during the TLS handshake.
    case handshakeCutShort
    /// The peer chose another protocol in ALPN, or none.
    case wrongProtocol(String?)
    case timedOut
}

/// How to reach servers: looks the name up, tries its addresses in turn, and does TLS if asked.
package struct Connector: Sendable {
    package var socket: SocketOptions
    /// Makes the connection a TLS one; the host name is verified.
    package var tls: TLSContext?
    /// What ALPN must have chosen.
    package var requiredProtocol: String?
    /// For name, connection and handshake together.
    package var timeoutMilliseconds: Int
    /// Which addresses may be connected to: a URL from a stranger must not lead into the own network.
    package var admits: @Sendable (SocketAddress) -> Bool

    package init(
        socket: SocketOptions = SocketOptions(), tls: TLSContext? = nil, requiredProtocol: String? = nil,
        timeoutMilliseconds: Int = 10_000, admits: @escaping @Sendable (SocketAddress) -> Bool = { _ in true }
    ) {
        self.socket = socket
        self.tls = tls
        self.requiredProtocol = requiredProtocol
        self.timeoutMilliseconds = timeoutMilliseconds
        self.admits = admits
    }

    /// Call on the loop; completes there, later and once, not after the attempt is
    /// cancelled. Set the stream's delegate within the completion and call `start`.
    @discardableResult
    package func connect(
        host: String, port: UInt16, on loop: EventLoop,
        completion: @escaping (Result<any ByteStream, ConnectError>) -> Void
    ) -> Connecting {
        let connecting = Connecting(self, host: host, on: loop, completion: completion)
        connecting.lookUp(port: port)
        return connecting
    }

    /// As the other, to an address that needs no lookup; `host` is what the certificate must name.
    @discardableResult
    package func connect(
        to address: SocketAddress, host: String? = nil, on loop: EventLoop,
        completion: @escaping (Result<any ByteStream, ConnectError>) -> Void
    ) -> Connecting {
        let connecting = Connecting(self, host: host ?? address.host, on: loop, completion: completion)
        connecting.tryNext(of: [address], lastError: nil)
        return connecting
    }
}

/// A connection on its way. Keeps itself alive until it is complete.
package final class Connecting {
    private let connector: Connector
    private let host: String
    private let loop: EventLoop
    private var completion: ((Result<any ByteStream, ConnectError>) -> Void)?
    private var timer: TimerToken?
    private var attempt: ConnectAttempt?
    private var handshake: TLSStream?

    fileprivate init(
        _ connector: Connector, host: String, on loop: EventLoop,
        completion: @escaping (Result<any ByteStream, ConnectError>) -> Void
    ) {
        loop.assertOnLoop()
        self.connector = connector
        self.host = host
        self.loop = loop
        self.completion = completion
        timer = loop.timers.arm(afterMilliseconds: connector.timeoutMilliseconds) {
            self.finish(.failure(.timedOut))
        }
    }

    package func cancel() {
        completion = nil
        tearDown()
    }

    fileprivate func lookUp(port: UInt16) {
        let me = LoopBound(self, on: loop)
        Resolver.resolve(host: host, port: port, on: loop) { result in
            switch result {
            case .success(let addresses): me.value.tryAdmitted(addresses)
            case .failure(let error): me.value.finish(.failure(.name(error)))
            }
        }
    }

    private func tryAdmitted(_ addresses: [SocketAddress]) {
        let admitted = addresses.filter(connector.admits)
        guard !admitted.isEmpty else { return finish(.failure(.noAdmittedAddress(host: host))) }
        tryNext(of: admitted[...], lastError: nil)
    }

    fileprivate func tryNext(of addresses: ArraySlice<SocketAddress>, lastError: SystemError?) {
        guard completion != nil else { return }
        guard let address = addresses.first else {
            return finish(.failure(lastError.map { .system($0) } ?? .noAdmittedAddress(host: host)))
        }
        attempt = ConnectAttempt(to: address, options: connector.socket, on: loop) { [self] result in
            attempt = nil
            switch result {
            case .success(let socket): secure(socket)
            case .failure(let error): tryNext(of: addresses.dropFirst(), lastError: error)
            }
        }
    }

    private func secure(_ socket: StreamSocket) {
        guard let tls = connector.tls else { return finish(.success(socket)) }
        do {
            let stream = TLSStream(over: socket, session: try tls.clientSession(host: host))
            handshake = stream
            stream.delegate = self
            stream.start()
        } catch {
            finish(.failure(.tls(error)))
        }
    }

    private func finish(_ result: Result<any ByteStream, ConnectError>) {
        guard let completion else { return }
        self.completion = nil
        if case .success = result { handshake = nil }
        tearDown()
        completion(result)
    }

    private func tearDown() {
        if let timer { loop.timers.cancel(timer) }
        timer = nil
        attempt?.cancel()
        attempt = nil
        handshake?.close(.immediately)
        handshake = nil
    }
}

extension Connecting: ByteStreamDelegate {
    package func byteStreamBecameSecure(_ stream: any ByteStream) {
        if let wanted = connector.requiredProtocol, stream.applicationProtocol != wanted {
            return finish(.failure(.wrongProtocol(stream.applicationProtocol)))
        }
        stream.delegate = nil
        finish(.success(stream))
    }

    /// Unreachable: plaintext comes after `byteStreamBecameSecure`, which changes the delegate.
    package func byteStream(_ stream: any ByteStream, received bytes: ArraySlice<UInt8>) {}

    package func byteStreamClosed(_ stream: any ByteStream, error: StreamError?) {
        switch error {
        case .tls(let error): finish(.failure(.tls(error)))
        case .system(let error): finish(.failure(.system(error)))
        default: finish(.failure(.handshakeCutShort))
        }
    }
}
