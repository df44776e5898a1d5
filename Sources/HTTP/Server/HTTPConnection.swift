import EventLoop
import Wire

/// One connection of a server, on its loop: requests in, answers out in the order of the requests.
final class HTTPConnection {
    /// A request not yet fully answered.
    private struct Slot {
        let isHead: Bool
        let isHTTP11: Bool
        var keepsAlive: Bool
        var isDone = false
        var isStreaming = false
        /// What may leave only when the slots before are done.
        var output: [UInt8] = []
        var gate: (any WriteGate)?
        var onClose: (@Sendable () -> Void)?
        var takeOver: (@Sendable (any ByteStream, [UInt8]) -> Void)?
    }

    private let stream: any ByteStream
    private let room: ConnectionRoom
    private let peer: SocketAddress?
    private var parser: HTTPRequestParser
    private var slots: [Slot] = []
    private var firstSequence = 0
    private var patience: ClientPatience
    private var timer: TimerToken?
    /// No further request is read: the last one said so, or it could not be understood.
    private var isLast = false
    /// A request asks for another protocol: what follows may not be HTTP.
    private var isHeld = false
    private var isPaused = false
    private var owesContinue = false
    private var isReadingRequests = false
    private var peerEnded = false
    private var isOver = false

    init(_ stream: any ByteStream, in room: ConnectionRoom) {
        self.stream = stream
        self.room = room
        peer = stream.peer
        parser = HTTPRequestParser(limits: room.settings.limits)
        patience = ClientPatience(room.settings)
    }

    var loop: EventLoop { room.loop }

    func start() {
        stream.delegate = self
        stream.start()
        wait(.head)
    }

    /// Closes at once when nothing is under way, else after the answers that are due.
    func drain() {
        guard !slots.isEmpty || parser.isMidRequest else { return finish() }
        for index in slots.indices where slots[index].isStreaming { endStream(at: index) }
        sendReady()
    }

    func cutOff() {
        isOver = true
        stream.close(.immediately)
    }

    // MARK: Requests

    private func advance() {
        readRequests()
        if peerEnded, canRead { endRequests() }
        settle()
    }

    /// The client sends no more and all it sent is read: the last answer closes.
    private func endRequests() {
        if parser.isMidRequest { return refuse(.parse(.truncated)) }
        isLast = true
        guard let last = slots.indices.last else { return finish() }
        slots[last].keepsAlive = false
    }

    private var canRead: Bool {
        !isLast && !isHeld && !isOver && slots.count < room.settings.maximumRequestsInFlight
            && stream.unsentByteCount < room.settings.maximumUnsentBytes
    }

    private func readRequests() {
        guard !isReadingRequests else { return }
        isReadingRequests = true
        defer { isReadingRequests = false }
        while canRead {
            do {
                guard let request = try parser.next() else { return }
                accept(request)
            } catch {
                return refuse(.parse(error))
            }
        }
    }

    private func accept(_ request: HTTPRequest) {
        let sequence = firstSequence + slots.count
        let keepsAlive = request.keepsAlive && !room.isDraining
        slots.append(
            Slot(isHead: request.method == .head, isHTTP11: request.isHTTP11, keepsAlive: keepsAlive))
        isLast = !keepsAlive
        isHeld = request.headers.contains("Upgrade")
        owesContinue = false
        room.responder(request, HTTPResponder(self, sequence: sequence, peer: peer))
    }

    /// After everything that changes the state: the 100 that is due, back-pressure, the time limit.
    private func settle() {
        guard !isOver else { return }
        if parser.takeExpectsContinue() { owesContinue = true }
        if owesContinue, slots.isEmpty, !isLast { sendContinue() }
        let mustPause = !canRead && !isLast
        if mustPause != isPaused {
            isPaused = mustPause
            if mustPause { stream.pauseReading() } else { stream.resumeReading() }
        }
        wait(awaited)
    }

    private var awaited: ClientPatience.Awaited {
        if !canRead { return .nothing }
        if parser.isReadingBody { return .body }
        if parser.isMidRequest { return .head }
        return slots.isEmpty ? .nextRequest : .nothing
    }

    private func sendContinue() {
        owesContinue = false
        var bytes: [UInt8] = []
        HTTPResponseEncoder.encodeInterim(status: 100, headers: HTTPHeaders(), into: &bytes)
        stream.send(bytes)
    }

    // MARK: Answers

    private func slotIndex(_ sequence: Int) -> Int? {
        let index = sequence - firstSequence
        return slots.indices.contains(index) && !slots[index].isDone && !isOver ? index : nil
    }

    func respond(_ response: HTTPResponse, under gate: (any WriteGate)? = nil, to sequence: Int) {
        guard let index = slotIndex(sequence), !slots[index].isStreaming else { return }
        if gate?.isOpen == false { return fail(sequence, .gateShut) }
        slots[index].gate = gate
        if room.isDraining { slots[index].keepsAlive = false }
        HTTPResponseEncoder.encode(
            response, date: room.date, keepAlive: slots[index].keepsAlive, isHead: slots[index].isHead,
            into: &slots[index].output)
        slots[index].isDone = true
        sendReady()
    }

    /// An answer of the server's own; the last one of this connection.
    private func refuse(_ failure: HTTPServerFailure) {
        isLast = true
        owesContinue = false
        slots.append(Slot(isHead: false, isHTTP11: true, keepsAlive: false))
        respond(room.response(to: failure), to: firstSequence + slots.count - 1)
    }

    func fail(_ sequence: Int, _ failure: HTTPServerFailure) {
        respond(room.response(to: failure), to: sequence)
    }

    private func sendReady() {
        while !isOver, !slots.isEmpty {
            if !slots[0].output.isEmpty {
                if slots[0].gate != nil || stream.unsentByteCount == 0 { stream.gate = slots[0].gate }
                stream.send(slots[0].output)
                slots[0].output = []
            }
            guard slots[0].isDone else { break }
            complete(slots.removeFirst())
        }
        if !isReadingRequests, !isOver { advance() }
    }

    private func complete(_ slot: Slot) {
        firstSequence += 1
        isHeld = false
        if let takeOver = slot.takeOver { return handOver(takeOver) }
        if !slot.keepsAlive { finish() }
    }

    private func finish() {
        isOver = true
        stream.close(.gracefully)
    }

    // MARK: Streaming answers

    func beginStream(
        status: Int, headers: HTTPHeaders, onClose: @escaping @Sendable () -> Void, to sequence: Int
    ) {
        guard let index = slotIndex(sequence), !slots[index].isStreaming else { return onClose() }
        guard slots[index].isHTTP11 else {
            fail(sequence, .needsHTTP11)
            return onClose()
        }
        slots[index].isStreaming = true
        HTTPResponseEncoder.encodeStreamHead(
            status: status, headers: headers, date: room.date, into: &slots[index].output)
        if slots[index].isHead {
            slots[index].isDone = true
            onClose()
        } else {
            slots[index].onClose = onClose
        }
        sendReady()
    }

    func sendChunk(_ bytes: [UInt8], to sequence: Int) {
        guard let index = slotIndex(sequence), slots[index].isStreaming else { return }
        HTTPResponseEncoder.encodeChunk(bytes, into: &slots[index].output)
        let unsent = stream.unsentByteCount + slots[index].output.count
        guard unsent <= room.settings.maximumUnsentBytes else {
            isOver = true
            return stream.close(.reset)
        }
        sendReady()
    }

    func finishStream(_ sequence: Int) {
        guard let index = slotIndex(sequence), slots[index].isStreaming else { return }
        endStream(at: index)
        sendReady()
    }

    private func endStream(at index: Int) {
        guard !slots[index].isDone else { return }
        HTTPResponseEncoder.encodeLastChunk(into: &slots[index].output)
        slots[index].isDone = true
        if room.isDraining { slots[index].keepsAlive = false }
        slots[index].onClose?()
        slots[index].onClose = nil
    }

    // MARK: Another protocol

    func upgrade(
        headers: HTTPHeaders, to sequence: Int,
        takeOver: @escaping @Sendable (any ByteStream, [UInt8]) -> Void
    ) {
        guard let index = slotIndex(sequence), !slots[index].isStreaming else { return }
        HTTPResponseEncoder.encodeInterim(status: 101, headers: headers, into: &slots[index].output)
        slots[index].takeOver = takeOver
        slots[index].isDone = true
        sendReady()
    }

    private func handOver(_ takeOver: @Sendable (any ByteStream, [UInt8]) -> Void) {
        isOver = true
        cancelTimer()
        stream.delegate = nil
        if isPaused { stream.resumeReading() }
        room.remove(self)
        takeOver(stream, parser.takeRemainder())
        // The new owner was not there when the end came.
        if peerEnded { stream.delegate?.byteStreamReachedEnd(stream) }
    }

    // MARK: Time

    private func wait(_ awaited: ClientPatience.Awaited) {
        guard patience.changes(with: awaited) else { return }
        let delay = patience.wait(for: awaited, at: MonotonicClock.nowMilliseconds())
        if let delay { arm(afterMilliseconds: delay) }
    }

    private func arm(afterMilliseconds delay: Int) {
        cancelTimer()
        timer = loop.timers.arm(afterMilliseconds: delay) { [unowned self] in
            timer = nil
            timerRang()
        }
    }

    private func cancelTimer() {
        if let timer { loop.timers.cancel(timer) }
        timer = nil
    }

    private func timerRang() {
        guard !isOver else { return }
        switch patience.ring(at: MonotonicClock.nowMilliseconds()) {
        case .goOn: return
        case .armAgain(let delay): arm(afterMilliseconds: delay)
        case .inVain(.head) where parser.isMidRequest: refuse(.tooSlow)
        case .inVain(.body): refuse(.tooSlow)
        case .inVain: finish()
        }
    }
}

extension HTTPConnection: ByteStreamDelegate {
    func byteStream(_ stream: any ByteStream, received bytes: ArraySlice<UInt8>) {
        guard !isLast, !isOver else { return }
        parser.append(bytes)
        advance()
    }

    func byteStreamReachedEnd(_ stream: any ByteStream) {
        guard !isOver else { return }
        if slots.contains(where: \.isStreaming) { return finish() }
        peerEnded = true
        advance()
    }

    func byteStreamProgressed(_ stream: any ByteStream) {
        if isPaused, canRead { advance() }
    }

    func byteStreamClosed(_ stream: any ByteStream, error: StreamError?) {
        isOver = true
        cancelTimer()
        for slot in slots { slot.onClose?() }
        slots = []
        room.remove(self)
    }
}
