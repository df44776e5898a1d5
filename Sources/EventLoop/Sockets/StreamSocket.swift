import Dispatch

/// A connected non-blocking socket of one loop.
///
/// Three things Dispatch asks for. A source fires once and never again after a hang-up or error, so reading
/// goes on until there is nothing. A suspended or inactive source must be brought to life after `cancel`,
/// or its cancel handler never runs. The descriptor is closed once, after the cancel handlers of all its
/// sources: a number reused earlier would leave its new source deaf. The write source is made when the
/// kernel's buffer first fills, so that an idle connection pays for one source.
package final class StreamSocket: ByteStream {
    private enum Interest: UInt8 { case none, active, suspended }
    private enum Phase: UInt8 { case idle, open, finishing, closing, closed }

    private static let readsPerTurn = 4
    private static let lingerMilliseconds = 2_000
    private static let stallMilliseconds = 10_000

    package let loop: EventLoop
    package var delegate: (any ByteStreamDelegate)?
    package var gate: (any WriteGate)?
    private let shared: LoopPossessions
    /// Of the concrete class: an existential of a source takes five words.
    private var reading: DispatchSource?
    private var writing: DispatchSource?
    private var output = OutputQueue()
    private var failure: StreamError?
    private var closeTimer: TimerToken?
    private let counter: OpenConnections?
    private let descriptor: Int32
    private var openSources: UInt8 = 0
    private var readInterest = Interest.none
    private var writeInterest = Interest.none
    private var phase = Phase.idle
    private var peerEnded = false
    private var isDelivering = false
    private var isFlushScheduled = false
    private var wantsFinish = false
    private var isFinishSent = false

    /// Takes over a connected, non-blocking descriptor; call on the loop. `counter` is told when it is
    /// closed.
    init(adopting descriptor: Int32, on loop: EventLoop, countedBy counter: OpenConnections? = nil) {
        loop.assertOnLoop()
        precondition(descriptor >= 0)
        self.descriptor = descriptor
        self.loop = loop
        self.counter = counter
        shared = loop.shared
    }

    deinit {
        guard phase == .idle else { return }
        System.close(descriptor)
        counter?.closed()
    }

    package var peer: SocketAddress? { phase == .closed ? nil : System.peerAddress(of: descriptor) }
    package var local: SocketAddress? { phase == .closed ? nil : System.localAddress(of: descriptor) }
    package var applicationProtocol: String? { nil }
    package var queuedOffset: UInt64 { output.queuedOffset }
    package var sentOffset: UInt64 { output.sentOffset }
    package var exposedOffset: UInt64 { output.sentOffset }

    package func start() {
        loop.assertOnLoop()
        guard phase == .idle else { return }
        phase = .open
        let me = LoopBound(self, on: loop)
        let reading = concrete(DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: loop.queue))
        reading.setEventHandler { @Sendable in me.value.readable() }
        reading.setCancelHandler { @Sendable in me.value.sourceCancelled() }
        self.reading = reading
        openSources = 1
        readInterest = .active
        reading.activate()
        if !output.isEmpty || wantsFinish { scheduleFlush() }
    }

    // MARK: Reading

    private var isReading: Bool { readInterest == .active && !peerEnded && phase != .closing }

    private func readable() {
        isDelivering = true
        readUntilEmpty()
        isDelivering = false
        if phase == .open || phase == .finishing, writeInterest != .active, needsFlush { flush() }
    }

    private func readUntilEmpty() {
        for _ in 0..<Self.readsPerTurn {
            guard isReading else { return }
            switch System.receive(descriptor, into: &shared.readBuffer) {
            case .moved(let count):
                if phase == .open { delegate?.byteStream(self, received: shared.readBuffer[..<count]) }
            case .wouldBlock: return
            case .ended: return reachEnd()
            case .failed(let code): return fail("recv", code)
            }
        }
        readSoon()
    }

    /// The rest after a fair share, and what a spent source would not tell again.
    private func readSoon() {
        let me = LoopBound(self, on: loop)
        loop.queue.async { @Sendable in me.value.readable() }
    }

    private func reachEnd() {
        peerEnded = true
        reading?.suspend()
        readInterest = .suspended
        if phase == .open { delegate?.byteStreamReachedEnd(self) }
        closeIfFinished()
    }

    package func pauseReading() {
        loop.assertOnLoop()
        guard readInterest == .active, phase == .open else { return }
        reading?.suspend()
        readInterest = .suspended
    }

    package func resumeReading() {
        loop.assertOnLoop()
        guard readInterest == .suspended, !peerEnded, phase == .open || phase == .finishing else { return }
        reading?.resume()
        readInterest = .active
        readSoon()
    }

    // MARK: Writing

    package func send(_ bytes: [UInt8]) {
        loop.assertOnLoop()
        guard phase == .open || phase == .idle, !wantsFinish else { return }
        output.append(bytes)
        scheduleFlush()
    }

    package func finishSending() {
        loop.assertOnLoop()
        guard phase == .open || phase == .idle, !wantsFinish else { return }
        wantsFinish = true
        scheduleFlush()
    }

    private var needsFlush: Bool { !output.isEmpty || wantsFinish && !isFinishSent }

    private func scheduleFlush() {
        guard phase != .idle, !isDelivering, !isFlushScheduled, writeInterest != .active else { return }
        isFlushScheduled = true
        shared.flushSoon(self)
    }

    func flushNow() {
        isFlushScheduled = false
        guard phase == .open || phase == .finishing, writeInterest != .active else { return }
        flush()
    }

    private func flush() {
        let before = output.sentOffset
        var isBlocked = false
        while !output.isEmpty, !isBlocked {
            guard gate?.isOpen != false else { return dropAtGate() }
            switch System.send(descriptor, output.first, from: output.offset) {
            case .moved(let count): output.consume(count)
            case .wouldBlock: isBlocked = true
            case .failed(let code): return fail("send", code)
            case .ended: return
            }
        }
        wantWritable(isBlocked)
        if output.sentOffset > before { delegate?.byteStreamProgressed(self) }
        guard output.isEmpty, wantsFinish, !isFinishSent, phase == .open || phase == .finishing else {
            return
        }
        isFinishSent = true
        System.shutdownOutput(descriptor)
        if phase == .finishing { armCloseTimer(Self.lingerMilliseconds) }
        closeIfFinished()
    }

    private func dropAtGate() {
        guard phase != .closing, phase != .closed else { return }
        failure = .gateShut
        output.drop()
        beginClosing()
    }

    private func wantWritable(_ wanted: Bool) {
        switch (writeInterest, wanted) {
        case (.none, true): makeWriteSource()
        case (.suspended, true): writing?.resume()
        case (.active, false): writing?.suspend()
        default: return
        }
        writeInterest = wanted ? .active : .suspended
    }

    private func makeWriteSource() {
        let me = LoopBound(self, on: loop)
        let writing = concrete(DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: loop.queue))
        writing.setEventHandler { @Sendable in me.value.writable() }
        writing.setCancelHandler { @Sendable in me.value.sourceCancelled() }
        self.writing = writing
        openSources += 1
        writing.activate()
    }

    private func writable() {
        guard phase == .open || phase == .finishing, writeInterest == .active else { return }
        flush()
    }

    // MARK: Closing

    package func close(_ manner: CloseManner) {
        loop.assertOnLoop()
        guard phase == .open || phase == .idle || (phase == .finishing && manner != .gracefully) else {
            return
        }
        if phase == .idle { start() }
        switch manner {
        case .gracefully: finishGracefully()
        case .immediately: beginClosing()
        case .reset:
            System.resetOnClose(descriptor)
            beginClosing()
        }
    }

    private func finishGracefully() {
        resumeReading()
        phase = .finishing
        wantsFinish = true
        armCloseTimer(isFinishSent ? Self.lingerMilliseconds : Self.stallMilliseconds)
        scheduleFlush()
        if peerEnded, isFinishSent { readSoonToClose() }
    }

    /// The peer had ended before: close in a turn of its own, for
    /// the callback must not come from within the call.
    private func readSoonToClose() {
        let me = LoopBound(self, on: loop)
        loop.queue.async { @Sendable in me.value.closeIfFinished() }
    }

    private func armCloseTimer(_ milliseconds: Int) {
        if let closeTimer { loop.timers.cancel(closeTimer) }
        closeTimer = loop.timers.arm(afterMilliseconds: milliseconds) { [unowned self] in
            closeTimer = nil
            if !isFinishSent { failure = .stalled }
            beginClosing()
        }
    }

    private func closeIfFinished() {
        guard phase == .finishing, isFinishSent, peerEnded else { return }
        beginClosing()
    }

    private func fail(_ call: String, _ code: Int32) {
        guard phase != .closing, phase != .closed else { return }
        // Once we have ended, a reset tells no more than an end would.
        if phase == .open || !output.isEmpty { failure = .system(SystemError(call: call, code: code)) }
        beginClosing()
    }

    private func beginClosing() {
        guard phase != .closing, phase != .closed else { return }
        phase = .closing
        if let closeTimer { loop.timers.cancel(closeTimer) }
        closeTimer = nil
        reading?.cancel()
        writing?.cancel()
        if readInterest == .suspended { reading?.resume() }
        if writeInterest == .suspended { writing?.resume() }
        readInterest = .none
        writeInterest = .none
    }

    private func sourceCancelled() {
        openSources -= 1
        guard openSources == 0 else { return }
        phase = .closed
        reading = nil
        writing = nil
        output.drop()
        System.close(descriptor)
        counter?.closed()
        let delegate = delegate
        self.delegate = nil
        delegate?.byteStreamClosed(self, error: failure)
    }
}

/// What Dispatch makes is always of its one class.
private func concrete(_ source: any DispatchSourceProtocol) -> DispatchSource {
    guard let source = source as? DispatchSource else { preconditionFailure("a source of another class") }
    return source
}
