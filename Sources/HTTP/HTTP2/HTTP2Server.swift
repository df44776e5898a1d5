package import EventLoop
package import Wire

/// A whole request over HTTP/2.
package struct HTTP2Request: Sendable {
    package let stream: Int32
    package let headers: HTTP2Headers
    package let body: [UInt8]
}

/// An HTTP/2 server that also misbehaves on request: for simulating providers.
package final class HTTP2Server: Sendable {
    package struct Settings: Sendable {
        package var listener = Listener.Settings()
        /// What SETTINGS says first; more streams than the peer has acknowledged are refused.
        package var maximumConcurrentStreams = 1_000
        package var maximumBodyByteCount = 1 << 20

        package init() {}
    }

    /// What a server does, on the connection's loop. Nothing need be answered.
    package struct Handlers: Sendable {
        package var connected: @Sendable (HTTP2ServerConnection) -> Void
        package var requested: @Sendable (HTTP2Request, HTTP2ServerConnection) -> Void
        package var closed: @Sendable (HTTP2ServerConnection) -> Void

        package init(
            connected: @escaping @Sendable (HTTP2ServerConnection) -> Void = { _ in },
            closed: @escaping @Sendable (HTTP2ServerConnection) -> Void = { _ in },
            requested: @escaping @Sendable (HTTP2Request, HTTP2ServerConnection) -> Void
        ) {
            self.connected = connected
            self.requested = requested
            self.closed = closed
        }
    }

    private let listener: Listener

    /// Listens at once. Without TLS it speaks HTTP/2 from the first byte.
    package init(
        address: SocketAddress, group: EventLoopGroup, settings: Settings = Settings(), tls: TLSContext?,
        handlers: Handlers
    ) throws(SystemError) {
        listener = try Listener(address: address, group: group, settings: settings.listener) { arrival in
            Self.serve(arrival, settings, tls, handlers)
        }
    }

    package var address: SocketAddress { listener.address }

    package var openConnections: Int { listener.openCount }

    /// Stops listening; connections live on.
    package func close() { listener.close() }

    private static func serve(
        _ arrival: Listener.Arrival, _ settings: Settings, _ tls: TLSContext?, _ handlers: Handlers
    ) {
        guard !arrival.isRefused else { return arrival.socket.close(.reset) }
        do {
            let stream: any ByteStream =
                if let tls { TLSStream(over: arrival.socket, session: try tls.serverSession()) } else {
                    arrival.socket
                }
            try HTTP2ServerConnection(stream, settings: settings, handlers: handlers).start()
        } catch {
            arrival.socket.close(.reset)
        }
    }
}

/// One connection of an HTTP/2 server; call on its loop only.
package final class HTTP2ServerConnection {
    package let loop: EventLoop
    private let stream: any ByteStream
    private let session: HTTP2ServerSession
    private let handlers: HTTP2Server.Handlers
    /// Limits told to the peer and not yet acknowledged, oldest first.
    private var toldLimits: [Int]
    private var enforcedLimit = Int.max
    private var isWriteScheduled = false
    private var isReceiving = false
    private var isOver = false

    init(
        _ stream: any ByteStream, settings: HTTP2Server.Settings, handlers: HTTP2Server.Handlers
    ) throws(HTTP2Error) {
        var options = HTTP2ServerSession.Options()
        options.advertisedMaximumConcurrentStreams = settings.maximumConcurrentStreams
        options.maximumBodyByteCount = settings.maximumBodyByteCount
        session = try HTTP2ServerSession(options: options)
        toldLimits = [settings.maximumConcurrentStreams]
        self.stream = stream
        self.handlers = handlers
        loop = stream.loop
    }

    func start() {
        stream.delegate = self
        stream.start()
        writeSoon()
        handlers.connected(self)
    }

    package var openStreams: Int { session.openStreamCount }

    /// Ignored when the stream is gone.
    package func respond(to stream: Int32, _ headers: HTTP2Headers, body: [UInt8]) {
        do {
            try session.respond(stream: stream, headers: headers, body: body)
        } catch {
            return  // reset by the peer in the meantime: nobody waits for the answer
        }
        writeSoon()
    }

    /// With `.refusedStream` the client may send again.
    package func reset(_ stream: Int32, _ errorCode: HTTP2ErrorCode) {
        session.reset(stream: stream, errorCode: errorCode)
        writeSoon()
    }

    /// Tells the peer another limit; enforced from its acknowledgement on.
    package func advertise(maximumConcurrentStreams limit: Int) {
        toldLimits.append(limit)
        session.advertise(maximumConcurrentStreams: limit)
        writeSoon()
    }

    /// Open streams above `lastStreamID` are dropped unanswered; nil: the last one seen.
    package func goAway(
        lastStreamID: Int32? = nil, errorCode: HTTP2ErrorCode = .noError, debugData: [UInt8] = []
    ) {
        session.goAway(lastStreamID: lastStreamID, errorCode: errorCode, debugData: debugData)
        writeSoon()
    }

    /// Neither reads nor answers, PINGs included, until `resume`.
    package func fallSilent() { stream.pauseReading() }

    package func resume() { stream.resumeReading() }

    package func close(_ manner: CloseManner) {
        if manner == .gracefully, !isOver { writePending() }
        isOver = true
        stream.close(manner)
    }

    private func writeSoon() {
        guard !isReceiving, !isWriteScheduled, !isOver else { return }
        isWriteScheduled = true
        let me = LoopBound(self, on: loop)
        loop.post { me.value.write() }
    }

    private func write() {
        isWriteScheduled = false
        writePending()
        if session.isFinished, !isOver { close(.gracefully) }
    }

    private func writePending() {
        var hasMore = true
        while hasMore, !isOver, stream.unsentByteCount < 1 << 20 {
            var bytes: [UInt8] = []
            hasMore = session.writePending(into: &bytes)
            guard !bytes.isEmpty else { break }
            stream.send(bytes)
        }
    }

    private func process(_ event: HTTP2ServerEvent) {
        switch event {
        case .streamOpened(let id):
            if session.openStreamCount > enforcedLimit {
                session.reset(stream: id, errorCode: .refusedStream)
            }
        case .request(let id, let headers, let body):
            handlers.requested(HTTP2Request(stream: id, headers: headers, body: body), self)
        case .settingsAcknowledged: if !toldLimits.isEmpty { enforcedLimit = toldLimits.removeFirst() }
        case .streamClosed, .goAway, .pingAcknowledged: break
        }
    }
}

extension HTTP2ServerConnection: ByteStreamDelegate {
    package func byteStream(_ stream: any ByteStream, received bytes: ArraySlice<UInt8>) {
        guard !isOver else { return }
        isReceiving = true
        var isBroken = false
        do { try session.receive(bytes.span) } catch { isBroken = true }
        for event in session.takeEvents() { process(event) }
        isReceiving = false
        if isBroken { close(.gracefully) } else { write() }
    }

    package func byteStreamProgressed(_ stream: any ByteStream) {
        if !isOver { write() }
    }

    package func byteStreamClosed(_ stream: any ByteStream, error: StreamError?) {
        isOver = true
        handlers.closed(self)
    }
}
