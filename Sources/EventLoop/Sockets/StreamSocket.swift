import Dispatch

/// A connected non-blocking socket of one loop.
///
/// Its loop's `ReadySet` tells each change once. So reading goes on until there is nothing: a read that does
/// not fill the buffer has emptied the kernel's, and what ends the stream is told by a change of its own,
/// unless it had come by then. Room to write is asked for when the kernel's buffer first fills.
package final class StreamSocket: ByteStream {
    private enum Phase: UInt8 { case idle, open, finishing, closing, closed }

    private static let readsPerTurn = 4
    private static let lingerMilliseconds = 2_000

    package let loop: EventLoop
    package var delegate: (any ByteStreamDelegate)?
    package var gate: (any WriteGate)?
    private let shared: LoopPossessions
    private var watch: ReadySet.Watch?
    private var output = OutputQueue()
    private var failure: StreamError?
    private var closeTimer: TimerToken?
    private let counter: OpenConnections?
    private let descriptor: Int32
    private var phase = Phase.idle
    private var isPaused = false
    /// What ends the stream has come: reading goes on until it is reached.
    private var endHasCome = false
    private var peerEnded = false
    /// The kernel takes no more now.
    private var isBlocked = false
    private var watchesWritable = false
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
        do throws(SystemError) {
            watch = try shared.readySet.watch(descriptor, self)
        } catch {
            return fail(error.call, error.code)
        }
        if !output.isEmpty || wantsFinish { scheduleFlush() }
    }

    private var isAlive: Bool { phase == .open || phase == .finishing }

    // MARK: Reading

    private var isReading: Bool { !isPaused && !peerEnded && isAlive }

    private func readable() {
        isDelivering = true
        readUntilEmpty()
        isDelivering = false
        if isAlive, !isBlocked, needsFlush { flush() }
    }

    private func readUntilEmpty() {
        for _ in 0..<Self.readsPerTurn {
            guard isReading else { return }
            switch System.receive(descriptor, into: &shared.readBuffer) {
            case .moved(let count):
                if phase == .open { delegate?.byteStream(self, received: shared.readBuffer[..<count]) }
                if count < LoopPossessions.readBufferBytes, !endHasCome { return }
            case .wouldBlock: return
            case .ended: return reachEnd()
            case .failed(let code): return fail("recv", code)
            }
        }
        readSoon()
    }

    /// The rest after a fair share, and what is not told again.
    private func readSoon() {
        let me = LoopBound(self, on: loop)
        loop.queue.async { @Sendable in me.value.readable() }
    }

    private func reachEnd() {
        peerEnded = true
        if phase == .open { delegate?.byteStreamReachedEnd(self) }
        closeIfFinished()
    }

    package func pauseReading() {
        loop.assertOnLoop()
        if phase == .open { isPaused = true }
    }

    package func resumeReading() {
        loop.assertOnLoop()
        guard isPaused, isAlive else { return }
        isPaused = false
        if !peerEnded { readSoon() }
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
        guard phase != .idle, !isDelivering, !isFlushScheduled, !isBlocked else { return }
        isFlushScheduled = true
        shared.flushSoon(self)
    }

    func flushNow() {
        isFlushScheduled = false
        if isAlive, !isBlocked { flush() }
    }

    private func flush() {
        let before = output.sentOffset
        isBlocked = false
        while !output.isEmpty, !isBlocked {
            guard gate?.isOpen != false else { return dropAtGate() }
            switch System.send(descriptor, output.first, from: output.offset) {
            case .moved(let count): output.consume(count)
            case .wouldBlock: isBlocked = true
            case .failed(let code): return fail("send", code)
            case .ended: return
            }
        }
        if isBlocked, !watchesWritable { watchWritable() }
        if output.sentOffset > before { delegate?.byteStreamProgressed(self) }
        guard output.isEmpty, wantsFinish, !isFinishSent, isAlive else { return }
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

    private func watchWritable() {
        guard let watch else { return }
        watchesWritable = true
        do throws(SystemError) {
            try shared.readySet.watchWritable(watch)
        } catch {
            fail(error.call, error.code)
        }
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
        armCloseTimer(isFinishSent ? Self.lingerMilliseconds : shared.stallMilliseconds)
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
        if let watch { shared.readySet.unwatch(watch) }
        watch = nil
        let me = LoopBound(self, on: loop)
        loop.queue.async { @Sendable in me.value.becomeClosed() }
    }

    /// In a turn of its own, for the callback must not come from within a call.
    private func becomeClosed() {
        phase = .closed
        output.drop()
        System.close(descriptor)
        counter?.closed()
        let delegate = delegate
        self.delegate = nil
        delegate?.byteStreamClosed(self, error: failure)
    }
}

extension StreamSocket: ReadinessDelegate {
    func becameReady(_ readiness: Readiness) {
        guard isAlive else { return }
        if readiness.hasEnded { endHasCome = true }
        if isBlocked, readiness.canWrite || readiness.hasEnded { flush() }
        if isReading, readiness.canRead || readiness.hasEnded { readable() }
    }
}
