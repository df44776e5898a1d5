package import Wire

/// TLS over a socket: what goes in and comes out is plaintext, and the offsets count plaintext.
///
/// What is sent before the handshake is done waits for it. An end without
/// close_notify is reported as an error, for what came before may be cut short.
package final class TLSStream: ByteStream {
    package let loop: EventLoop
    package var delegate: (any ByteStreamDelegate)?
    private(set) package var queuedOffset: UInt64 = 0
    private(set) package var sentOffset: UInt64 = 0
    private let socket: StreamSocket
    private let session: TLSSession
    private let shared: LoopPossessions
    private var early: [UInt8] = []
    private var marks: [Mark] = []
    private var failure: StreamError?
    private var isSecure = false
    private var isEndTold = false
    private var wantsFinish = false
    /// Closed gracefully before the handshake was done: what was sent still goes out, within this time.
    private var farewell: TimerToken?
    private static let farewellMilliseconds = 10_000
    private var isClosing = false

    /// When the socket has sent up to `ciphertext`, the kernel has everything up to `plaintext`.
    private struct Mark {
        let start: UInt64
        let ciphertext: UInt64
        let plaintext: UInt64
    }

    /// Takes over a socket that has not been started.
    package init(over socket: StreamSocket, session: TLSSession) {
        self.socket = socket
        self.session = session
        loop = socket.loop
        shared = socket.loop.shared
    }

    package var gate: (any WriteGate)? {
        get { socket.gate }
        set { socket.gate = newValue }
    }
    package var peer: SocketAddress? { socket.peer }
    package var applicationProtocol: String? { session.negotiatedProtocol }

    package var exposedOffset: UInt64 {
        guard let mark = marks.first, socket.sentOffset > mark.start else { return sentOffset }
        return mark.plaintext
    }

    package func start() {
        guard socket.delegate == nil, !isClosing else { return }
        socket.delegate = self
        socket.start()
        perform { () throws(TLSError) in try session.start() }
        flushCiphertext()
    }

    package func send(_ bytes: [UInt8]) {
        guard !isClosing, !wantsFinish, farewell == nil else { return }
        queuedOffset += UInt64(bytes.count)
        guard isSecure else {
            early += bytes
            return
        }
        encrypt(bytes)
    }

    package func finishSending() {
        guard !isClosing, !wantsFinish else { return }
        wantsFinish = true
        if isSecure { sendClose() }
    }

    package func close(_ manner: CloseManner) {
        if socket.delegate == nil { socket.delegate = self }
        switch manner {
        case .gracefully where isSecure:
            guard !isClosing else { return }
            session.close()
            flushCiphertext()
            socket.close(.gracefully)
        case .gracefully where !early.isEmpty && !isClosing: return sayFarewell()
        case .gracefully: socket.close(.immediately)
        case .immediately, .reset: socket.close(manner)
        }
        isClosing = true
    }

    private func sayFarewell() {
        guard farewell == nil else { return }
        farewell = loop.timers.arm(afterMilliseconds: Self.farewellMilliseconds) { [weak self] in
            self?.farewell = nil
            self?.close(.immediately)
        }
    }

    private func endFarewell() -> Bool {
        guard let farewell else { return false }
        loop.timers.cancel(farewell)
        self.farewell = nil
        return true
    }

    package func pauseReading() { socket.pauseReading() }
    package func resumeReading() { socket.resumeReading() }

    private func encrypt(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        let start = socket.queuedOffset
        perform { () throws(TLSError) in try session.send(bytes) }
        flushCiphertext()
        marks.append(Mark(start: start, ciphertext: socket.queuedOffset, plaintext: queuedOffset))
    }

    private func sendClose() {
        session.close()
        flushCiphertext()
        socket.finishSending()
    }

    private func flushCiphertext() {
        guard session.hasPendingCiphertext else { return }
        var ciphertext: [UInt8] = []
        session.takeCiphertext(into: &ciphertext)
        socket.send(ciphertext)
    }

    /// A refusal of the session ends the stream, after the alert has been sent.
    private func perform(_ step: () throws(TLSError) -> Void) {
        do {
            try step()
        } catch {
            guard !isClosing else { return }
            isClosing = true
            failure = .tls(error)
            flushCiphertext()
            socket.close(.gracefully)
        }
    }

    private func becomeSecureIfDone() {
        guard !isSecure, session.state == .established || session.state == .closedByPeer else { return }
        isSecure = true
        encrypt(early)
        early = []
        if wantsFinish { sendClose() }
        let mustClose = endFarewell()
        delegate?.byteStreamBecameSecure(self)
        if mustClose { close(.gracefully) }
    }
}

extension TLSStream: ByteStreamDelegate {
    package func byteStream(_ stream: any ByteStream, received bytes: ArraySlice<UInt8>) {
        guard !isClosing else { return }
        var plaintext = shared.plaintextBuffer
        shared.plaintextBuffer = []
        perform { () throws(TLSError) in try session.receive(bytes.span, plaintext: &plaintext) }
        flushCiphertext()
        if failure == nil { becomeSecureIfDone() }
        if !plaintext.isEmpty, !isClosing || failure != nil {
            delegate?.byteStream(self, received: plaintext[...])
        }
        plaintext.removeAll(keepingCapacity: true)
        shared.plaintextBuffer = plaintext
        if session.state == .closedByPeer, !isEndTold, !isClosing {
            isEndTold = true
            delegate?.byteStreamReachedEnd(self)
        }
    }

    package func byteStreamReachedEnd(_ stream: any ByteStream) {
        perform { () throws(TLSError) in try session.transportEnded() }
        guard !isEndTold, !isClosing else { return }
        isEndTold = true
        delegate?.byteStreamReachedEnd(self)
    }

    package func byteStreamProgressed(_ stream: any ByteStream) {
        let passed = marks.prefix { $0.ciphertext <= stream.sentOffset }.count
        guard passed > 0 else { return }
        sentOffset = marks[passed - 1].plaintext
        marks.removeFirst(passed)
        if marks.isEmpty { marks = [] }
        if !isClosing { delegate?.byteStreamProgressed(self) }
    }

    package func byteStreamClosed(_ stream: any ByteStream, error: StreamError?) {
        isClosing = true
        _ = endFarewell()
        let delegate = delegate
        self.delegate = nil
        delegate?.byteStreamClosed(self, error: failure ?? error)
    }
}
