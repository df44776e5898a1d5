import EventLoop
import Wire

/// One HTTP/2 connection to the simulated providers, on its loop.
final class SimulatorConnection: ByteStreamDelegate {
    private let stream: any ByteStream
    private let session: HTTP2ServerSession
    private let state: SimulatorState
    private var apns: APNsPersonality
    private var events: [HTTP2ServerEvent] = []
    private var frames: [UInt8] = []
    private var streamLimit: Int
    /// Whether the peer must know the present limit: what it sent before is not held against it.
    private var isLimitInForce = false
    private var isClosed = false

    init(_ stream: any ByteStream, _ state: SimulatorState) throws(HTTP2Error) {
        self.stream = stream
        self.state = state
        apns = APNsPersonality(state)
        streamLimit = state.settings.startsWithOneStream ? 1 : state.settings.maximumStreams
        var options = HTTP2ServerSession.Options()
        options.advertisedMaximumConcurrentStreams = streamLimit
        session = try HTTP2ServerSession(options: options)
    }

    func start() {
        state.connectionOpened()
        stream.delegate = self
        stream.start()
        flush()
    }

    func byteStream(_ stream: any ByteStream, received bytes: ArraySlice<UInt8>) {
        do {
            try session.receive(bytes.span)
        } catch {
            flush()
            return stream.close(.gracefully)
        }
        session.takeEvents(into: &events)
        for event in events { take(event) }
        flush()
    }

    func byteStreamClosed(_ stream: any ByteStream, error: StreamError?) { isClosed = true }

    private func take(_ event: HTTP2ServerEvent) {
        switch event {
        case .settingsAcknowledged: isLimitInForce = true
        case .request(let id, let headers, let body):
            if isLimitInForce && session.openStreamCount > streamLimit {
                return session.reset(stream: id, errorCode: .refusedStream)
            }
            answer(id, headers, body)
        case .streamOpened, .streamClosed, .goAway, .pingAcknowledged: break
        }
    }

    private func answer(_ id: Int32, _ headers: HTTP2Headers, _ body: [UInt8]) {
        let fields = RequestFields(headers)
        let reply = reply(headers, fields, body)
        if reply.showsValidToken && streamLimit != state.settings.maximumStreams {
            streamLimit = state.settings.maximumStreams
            isLimitInForce = false
            session.advertise(maximumConcurrentStreams: streamLimit)
        }
        guard reply.delayMilliseconds > 0 else { return send(reply.form, id) }
        stream.loop.timers.arm(afterMilliseconds: reply.delayMilliseconds) { [weak self] in
            self?.send(reply.form, id)
            self?.flush()
        }
    }

    private func reply(_ headers: HTTP2Headers, _ fields: RequestFields, _ body: [UInt8]) -> SimulatedReply {
        if fields.path.elementsEqual(OAuthPersonality.path) {
            let authority = headers[.authority] ?? ""
            var reply = OAuthPersonality(state: state).reply(fields, authority: authority, body: body)
            reply.showsValidToken = true
            return reply
        }
        if FCMPersonality.isSend(fields.path) {
            return FCMPersonality(state: state).reply(to: headers, fields, body: body)
        }
        return apns.reply(to: headers, fields, body: body)
    }

    private func send(_ form: SimulatedReply.Form, _ id: Int32) {
        guard !isClosed else { return }
        switch form {
        case .respond(let headers, let body):
            // The stream may be gone; there is nobody to answer then.
            do { try session.respond(stream: id, headers: headers, body: body) } catch { return }
        case .silent: break
        case .refuse: session.reset(stream: id, errorCode: .refusedStream)
        case .goAway:
            session.goAway(
                lastStreamID: max(0, id - 2), errorCode: .noError,
                debugData: Array(#"{"reason":"Shutdown"}"#.utf8))
        case .close: stream.close(.reset)
        }
    }

    private func flush() {
        guard !isClosed else { return }
        var isMore = true
        while isMore {
            frames.removeAll(keepingCapacity: true)
            isMore = session.writePending(into: &frames)
            if frames.isEmpty { break }
            stream.send(frames)
        }
        if session.isFinished { stream.close(.gracefully) }
    }
}
