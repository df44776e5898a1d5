package import EventLoop
package import Wire

/// What the owner of a client connection learns, on its loop. Sending from within is allowed.
package protocol HTTP2ClientConnectionDelegate: AnyObject {
    /// Once for every request taken.
    func connection(_ connection: HTTP2ClientConnection, finished tag: Int, with outcome: HTTP2Outcome)
    /// `freeStreams` may have grown.
    func connectionHasRoom(_ connection: HTTP2ClientConnection)
    /// GOAWAY: nothing more can be sent here, what is open goes on. Make another connection now.
    func connectionIsDraining(
        _ connection: HTTP2ClientConnection, errorCode: HTTP2ErrorCode, debugData: [UInt8])
    /// Last, after every request taken was reported.
    func connectionClosed(_ connection: HTTP2ClientConnection, _ closure: HTTP2Closure)
}

/// The client side of one HTTP/2 connection on one loop. It never holds more
/// requests than the peer allows: what does not fit stays with the owner.
package final class HTTP2ClientConnection {
    package struct Settings: Sendable {
        /// Streams assumed until the peer's SETTINGS; APNs begins with one.
        package var initialMaximumConcurrentStreams = 1
        /// Of one answer's body; beyond it the outcome is unknown.
        package var maximumBodyByteCount = 1 << 20
        /// From `send` to the end of the answer.
        package var requestTimeoutMilliseconds = 10_000
        /// A connection that heard nothing for so long must answer a PING before it is used.
        package var trustMilliseconds = 30_000
        /// How long a PING may go unanswered before the connection counts as lost.
        package var pingTimeoutMilliseconds = 5_000
        /// Output the kernel has not taken, beyond which no further frames are made.
        package var maximumUnsentBytes = 1 << 20

        package init() {}
    }

    package let loop: EventLoop
    /// Held until `connectionClosed` was called.
    package var delegate: (any HTTP2ClientConnectionDelegate)?
    /// No more requests are taken: GOAWAY came, or `drain` was called.
    private(set) package var isDraining = false

    private let stream: any ByteStream
    private let settings: Settings
    private let session: HTTP2ClientSession
    private var requests = HTTP2OpenRequests()
    private var events: [HTTP2ClientEvent] = []
    /// Room for what is written; a stream that encrypts does not keep it.
    private var frames: [UInt8] = []
    private var closure: HTTP2Closure?
    private var isWriteScheduled = false
    private var isReceiving = false
    private var mayHaveRoom = false
    private var isClosed = false
    private var lastHeard = MonotonicClock.nowMilliseconds()
    private var deadlineTimer: TimerToken?
    private var pingTimer: TimerToken?
    private var pingNumber: UInt64 = 0

    /// Takes over a stream that has agreed on `h2` (or is known to speak it).
    package init(
        _ stream: any ByteStream, settings: Settings = Settings(), delegate: any HTTP2ClientConnectionDelegate
    ) throws(HTTP2Error) {
        var options = HTTP2ClientSession.Options()
        options.initialPeerMaximumConcurrentStreams = settings.initialMaximumConcurrentStreams
        options.maximumBodyByteCount = settings.maximumBodyByteCount
        session = try HTTP2ClientSession(options: options)
        self.stream = stream
        self.settings = settings
        self.delegate = delegate
        loop = stream.loop
    }

    /// Sends the preface and begins to listen; the connection lives until it is closed.
    package func start() {
        loop.assertOnLoop()
        stream.delegate = self
        stream.start()
        writeSoon()
    }

    // MARK: Sending

    package var openStreams: Int { requests.openCount }

    /// How many requests `send` takes now. Zero while a PING is
    /// awaited; `connectionHasRoom` tells of the change.
    package var freeStreams: Int {
        guard !isDraining, !isOver, pingTimer == nil else { return 0 }
        // The session is ahead while events are told, and behind while a reset is unwritten.
        let open = max(session.openStreamCount, requests.openCount)
        return max(0, session.peerMaximumConcurrentStreams - open)
    }

    /// As `freeStreams`, and puts a connection that was silent for
    /// long to the test first. Call it before a batch.
    package func trustedStreams() -> Int {
        if requests.openCount == 0, pingTimer == nil, !isOver, !isDraining,
            MonotonicClock.nowMilliseconds() - lastHeard > Int64(settings.trustMilliseconds)
        {
            probe()
        }
        return freeStreams
    }

    /// False when there is no room; else the outcome is reported with the tag, later and
    /// once. All requests sent in one turn of the loop are written together.
    package func send(_ headers: HTTP2Headers, body: [UInt8], tag: Int) -> Bool {
        loop.assertOnLoop()
        guard freeStreams > 0 else { return false }
        do {
            let id = try session.submit(headers, body: body, tag: tag)
            let due = MonotonicClock.nowMilliseconds() + Int64(settings.requestTimeoutMilliseconds)
            guard requests.open(stream: id, tag: tag, due: due) else {
                session.reset(stream: id, errorCode: .internalError)
                return false
            }
        } catch {
            // Stream ids are used up, or the session is over: it takes nothing more.
            drain()
            return false
        }
        if deadlineTimer == nil { armDeadline() }
        writeSoon()
        return true
    }

    /// Sends a PING; until it is answered nothing is sent, and if it is not, the connection is closed.
    package func probe() {
        guard pingTimer == nil, !isOver else { return }
        pingNumber += 1
        session.ping(opaque: pingNumber)
        pingTimer = loop.timers.arm(afterMilliseconds: settings.pingTimeoutMilliseconds) { [unowned self] in
            pingTimer = nil
            finish(.pingUnanswered, .reset)
        }
        writeSoon()
    }

    /// Takes no more requests and closes when the open ones are answered.
    package func drain() {
        isDraining = true
        closeIfDrained()
    }

    /// Closes now; what is open is reported.
    package func close() { finish(.closedLocally, .immediately) }

    // MARK: Writing

    private var isOver: Bool { closure != nil || isClosed }

    private func writeSoon() {
        guard !isReceiving, !isWriteScheduled, !isOver else { return }
        isWriteScheduled = true
        let me = LoopBound(self, on: loop)
        loop.post { me.value.write() }
    }

    private func write() {
        isWriteScheduled = false
        var hasMore = true
        while hasMore, !isClosed, stream.unsentByteCount < settings.maximumUnsentBytes {
            frames.removeAll(keepingCapacity: true)
            hasMore = session.writePending(into: &frames)
            guard !frames.isEmpty else { break }
            requests.written(from: stream.queuedOffset)
            stream.send(frames)
        }
        processEvents()
    }

    // MARK: Events

    private func processEvents() {
        while true {
            var batch = events
            events = []
            session.takeEvents(into: &batch)
            guard !batch.isEmpty else {
                events = batch
                return
            }
            for event in batch { process(event) }
            events = batch
            tellRoom()
        }
    }

    private func process(_ event: HTTP2ClientEvent) {
        switch event {
        case .settingsReceived: mayHaveRoom = true
        case .responseHeaders(let id, _, let status, let headers):
            requests.update(id) {
                $0.status = status
                $0.headers = headers
            }
        case .bodyData(let id, _, let bytes): requests.update(id) { $0.body += bytes }
        case .streamClosed(let id, _, let code): streamClosed(id, code)
        case .goAway(_, let code, let debugData):
            isDraining = true
            delegate?.connectionIsDraining(self, errorCode: code, debugData: debugData)
        case .pingAcknowledged(let opaque): pingAnswered(opaque)
        }
    }

    private func streamClosed(_ id: Int32, _ code: HTTP2ErrorCode) {
        guard let request = requests.close(id) else { return }
        let outcome: HTTP2Outcome =
            switch (code, request.status) {
            case (.noError, let status?):
                .response(HTTP2Response(status: status, headers: request.headers, body: request.body))
            case (.refusedStream, nil): .unprocessed(.refused)
            default: .unknown(.reset(code))
            }
        delegate?.connection(self, finished: request.tag, with: outcome)
        mayHaveRoom = true
    }

    /// Once for all that was heard together.
    private func tellRoom() {
        guard mayHaveRoom else { return }
        mayHaveRoom = false
        if freeStreams > 0 { delegate?.connectionHasRoom(self) }
    }

    private func pingAnswered(_ opaque: UInt64) {
        guard opaque == pingNumber, let timer = pingTimer else { return }
        loop.timers.cancel(timer)
        pingTimer = nil
        mayHaveRoom = true
    }

    // MARK: Deadlines

    private func armDeadline() {
        guard let due = requests.firstDue, !isOver else { return }
        let delay = due - MonotonicClock.nowMilliseconds()
        deadlineTimer = loop.timers.arm(afterMilliseconds: Int(max(0, delay))) { [unowned self] in
            deadlineTimer = nil
            expire()
        }
    }

    /// A request out of time is reset; the silence puts the whole connection to the test.
    private func expire() {
        var hasExpired = false
        while let due = requests.firstDue, due <= MonotonicClock.nowMilliseconds(), !isOver {
            guard let request = requests.closeFirst() else { break }
            hasExpired = true
            session.reset(stream: request.stream, errorCode: .cancel)
            delegate?.connection(self, finished: request.tag, with: .unknown(.timedOut))
        }
        if hasExpired { probe() }
        writeSoon()
        closeIfDrained()
        if deadlineTimer == nil { armDeadline() }
    }

    // MARK: The end

    private func closeIfDrained() {
        guard isDraining, requests.openCount == 0, !isOver else { return }
        session.goAway()
        finish(.drained, .gracefully)
    }

    private func finish(_ closure: HTTP2Closure, _ manner: CloseManner) {
        guard !isOver else { return }
        self.closure = closure
        if manner == .gracefully {
            var bytes: [UInt8] = []
            session.writePending(into: &bytes)
            stream.send(bytes)
        }
        stream.close(manner)
    }

    private func reportLost() {
        let exposed = stream.exposedOffset
        while let request = requests.closeFirst() {
            let outcome: HTTP2Outcome =
                request.firstByte >= exposed ? .unprocessed(.neverSent) : .unknown(.connectionLost)
            delegate?.connection(self, finished: request.tag, with: outcome)
        }
    }
}

extension HTTP2ClientConnection: ByteStreamDelegate {
    package func byteStream(_ stream: any ByteStream, received bytes: ArraySlice<UInt8>) {
        guard !isOver else { return }
        lastHeard = MonotonicClock.nowMilliseconds()
        isReceiving = true
        var failure: HTTP2Error?
        do { try session.receive(bytes.span) } catch { failure = error }
        processEvents()
        isReceiving = false
        write()
        if let failure { return finish(.broken(failure), .gracefully) }
        closeIfDrained()
        if session.isFinished { finish(isDraining ? .drained : .ended, .gracefully) }
    }

    package func byteStreamProgressed(_ stream: any ByteStream) {
        if !isOver { write() }
    }

    package func byteStreamReachedEnd(_ stream: any ByteStream) { finish(.ended, .immediately) }

    package func byteStreamClosed(_ stream: any ByteStream, error: StreamError?) {
        isClosed = true
        isDraining = true
        if let deadlineTimer { loop.timers.cancel(deadlineTimer) }
        if let pingTimer { loop.timers.cancel(pingTimer) }
        deadlineTimer = nil
        pingTimer = nil
        reportLost()
        let delegate = delegate
        self.delegate = nil
        delegate?.connectionClosed(self, closure ?? error.map { .lost($0) } ?? .closedLocally)
    }
}
