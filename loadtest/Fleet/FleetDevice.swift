import EventLoop
import Wire

/// One device: a WebSocket in the course of its life, over any number of connections. On its loop only.
///
/// A plain object without a task or timer of its own; an idle one costs a socket and this object.
final class FleetDevice {
    enum Phase: Equatable {
        /// Without a connection, for now or for good.
        case away
        /// Under way to AUTH_OK.
        case connecting, upgrading, authenticating
        case online
    }

    private static let frameLimit = 1 << 20
    /// Codes after which a client does not come back by itself.
    private static let finalCodes: Set<UInt16> = [4_001, 4_003, 4_010]

    let number: Int
    /// Held: a socket may outlive its fleet by a moment.
    private let room: FleetRoom
    var profile: DeviceProfile
    private(set) var seen: DeviceObservation
    private(set) var phase = Phase.away {
        didSet { room.moved(from: oldValue, to: phase) }
    }
    private var stream: (any ByteStream)?
    private var attempt: Connecting?
    private var handshake: UpgradeHandshake?
    private var parser = WebSocketFrameParser(role: .client)
    private var timer: TimerToken?
    /// How often it has moved on to the next address.
    private var moves = 0
    /// What the server said on closing.
    private var farewell: (code: UInt16, reason: String)?

    init(_ number: Int, _ profile: DeviceProfile, in room: FleetRoom) {
        self.number = number
        self.profile = profile
        self.room = room
        seen = DeviceObservation(
            appliedSeq: profile.appliedSeq, mailbox: profile.mailbox.flatMap { UUIDBytes(text: $0) })
    }

    // MARK: Commands

    /// Connects after so long, unless it is connected or on its way then.
    func connect(afterMilliseconds delay: Int) {
        cancelTimer()
        guard delay > 0 else { return connect() }
        timer = room.loop.timers.arm(afterMilliseconds: delay) { [self] in
            timer = nil
            connect()
        }
    }

    /// Lets go of the connection at once, whatever is under way on it.
    func drop(_ manner: DropManner, returningAfterMilliseconds delay: Int?) {
        cancelTimer()
        let (stream, wasOnline) = (stream, phase == .online)
        forgetConnection()
        if let stream {
            stream.delegate = nil
            if manner == .close, wasOnline {
                var bytes: [UInt8] = []
                WebSocketFrameWriter.writeClose(.normal, mask: room.nextMask(), into: &bytes)
                stream.send(bytes)
            }
            stream.close(manner == .reset ? .reset : .gracefully)
        }
        if wasOnline { ended(code: 1_006, reason: "dropped (\(manner.rawValue))") }
        if let delay { connect(afterMilliseconds: delay) }
    }

    /// Acknowledges up to a seq, or all that was received.
    func apply(through seq: Int64? = nil) {
        guard phase == .online else { return }
        let seq = seq ?? seen.lastSeq
        send(text: DeviceFrame.applied(seq))
        seen.applied(seq, at: room.now)
        room.tell(number, .applied(seq))
    }

    /// Sends a text frame as it is.
    func send(text: [UInt8]) { send(.text, text) }

    // MARK: The way to AUTH_OK

    private func connect() {
        guard phase == .away else { return }
        phase = .connecting
        attempt = Connector(timeoutMilliseconds: room.settings.connectMilliseconds).connect(
            to: address, on: room.loop
        ) { [self] result in
            attempt = nil
            switch result {
            case .failure(let error): refused(status: 0, "\(error)")
            case .success(let stream): upgrade(stream)
            }
        }
    }

    private func upgrade(_ stream: any ByteStream) {
        let handshake = UpgradeHandshake(host: "\(address)")
        self.stream = stream
        self.handshake = handshake
        phase = .upgrading
        stream.delegate = self
        stream.start()
        stream.send(handshake.request)
        timer = room.loop.timers.arm(afterMilliseconds: room.settings.connectMilliseconds) { [self] in
            timer = nil
            refused(status: 0, "no answer in time")
        }
    }

    private func upgraded(_ rest: [UInt8]) {
        handshake = nil
        parser = WebSocketFrameParser(role: .client, messageLimit: Self.frameLimit)
        phase = .authenticating
        do {
            let token = try profile.token()
            send(
                text: DeviceFrame.authenticate(
                    token: token, mailbox: seen.mailbox, appliedSeq: seen.appliedSeq, isFromHead: isFromHead))
        } catch {
            return refused(status: 0, "no credential: \(error)")
        }
        if !rest.isEmpty { received(rest[...]) }
    }

    private var address: SocketAddress { room.address(of: number + moves) }

    private var isFromHead: Bool { profile.start == .head && seen.mailbox == nil }

    /// No connection came of it.
    private func refused(status: Int, _ reason: String) {
        let stream = stream
        forgetConnection()
        stream?.delegate = nil
        stream?.close(.immediately)
        room.count(refusal: status)
        room.tell(number, .refused(status: status, reason: reason))
        returnSoon(after: 1_006)
    }

    // MARK: Frames

    private func received(_ bytes: ArraySlice<UInt8>) {
        parser.append(bytes)
        do throws(WebSocketError) {
            while stream != nil, let event = try parser.next() { take(event) }
        } catch {
            seen.note("frame: \(error)")
            stream?.close(.reset)
        }
        applyAsUsual()
    }

    private func take(_ event: WebSocketEvent) {
        switch event {
        case .text(let bytes):
            guard let frame = ServerFrame(parsing: bytes) else {
                return seen.note("frame: \(String(decoding: bytes.prefix(200), as: UTF8.self))")
            }
            take(frame)
        case .ping(let payload): send(.pong, payload)
        case .pong: break
        case .binary: seen.note("frame: a binary one")
        case .close(let code, let reason):
            farewell = (code?.rawValue ?? 1_005, reason)
            var bytes: [UInt8] = []
            WebSocketFrameWriter.writeClose(code ?? .normal, mask: room.nextMask(), into: &bytes)
            stream?.send(bytes)
            stream?.close(.gracefully)
        }
    }

    private func take(_ frame: ServerFrame) {
        switch frame {
        case .welcome(let welcome):
            guard phase == .authenticating else { return seen.note("frame: AUTH_OK again") }
            cancelTimer()
            seen.welcomed(welcome, isFromHead: isFromHead, at: room.now)
            phase = .online
            room.tell(number, .authenticated(welcome))
        case .entry(let entry): take(entry)
        case .badge(let badge):
            seen.showed(badge)
            room.tell(number, .badge(badge))
        case .error(let code, let detail): room.tell(number, .error(code: code, detail: detail))
        case .call(let type, let id): room.tell(number, .call(type: type, id: id))
        case .other(let type): room.tell(number, .other(type: type))
        }
    }

    private func take(_ entry: ServerFrame.Entry) {
        var latency: Int?
        if let sentAt = entry.sentAt {
            let now = MonotonicClock.now()
            latency = Int(now > sentAt ? now - sentAt : 0) / 1_000
            // What waited for the device to come back tells nothing of the server.
            if entry.seq > seen.head { room.latencies.add(nanoseconds: UInt64(latency ?? 0) * 1_000) }
        }
        let kept =
            room.settings.keepsEntries
            ? SeenEntry(
                message: entry.messageNumber, sentAt: entry.sentAt.map { room.time($0) } ?? 0,
                receivedAt: room.now) : nil
        seen.received(entry.seq, keeping: kept)
        room.entries += 1
        room.tell(number, .entry(entry, latency: latency))
    }

    private func applyAsUsual() {
        guard phase == .online, seen.lastSeq > seen.appliedSeq else { return }
        switch profile.applying {
        case .atOnce: apply()
        case .never: break
        case .batches(let count): if seen.lastSeq - seen.appliedSeq >= Int64(count) { apply() }
        case .after(let milliseconds):
            guard timer == nil else { return }
            timer = room.loop.timers.arm(afterMilliseconds: milliseconds) { [self] in
                timer = nil
                apply()
            }
        }
    }

    private func send(_ opcode: WebSocketFrameWriter.Opcode, _ payload: [UInt8]) {
        guard let stream else { return }
        var bytes: [UInt8] = []
        WebSocketFrameWriter.write(opcode, payload, mask: room.nextMask(), into: &bytes)
        stream.send(bytes)
    }

    // MARK: The end of a connection

    /// The connection, on its way or there, is no longer ours.
    private func forgetConnection() {
        attempt?.cancel()
        attempt = nil
        stream = nil
        handshake = nil
        farewell = nil
        cancelTimer()
        phase = .away
    }

    private func ended(code: UInt16, reason: String) {
        seen.ended(code, at: room.now, keepsAbsence: room.settings.keepsEntries)
        room.count(end: code)
        room.tell(number, .ended(code: code, reason: reason))
    }

    private func returnSoon(after code: UInt16) {
        guard let window = profile.returnsWithinMilliseconds, !Self.finalCodes.contains(code) else { return }
        if room.settings.movesOn { moves += 1 }
        connect(afterMilliseconds: room.random(below: window + 1))
    }

    private func cancelTimer() {
        if let timer { room.loop.timers.cancel(timer) }
        timer = nil
    }
}

extension FleetDevice: ByteStreamDelegate {
    func byteStream(_ stream: any ByteStream, received bytes: ArraySlice<UInt8>) {
        guard let handshake else { return received(bytes) }
        switch handshake.take(bytes) {
        case .unfinished: return
        case .upgraded(let rest): upgraded(rest)
        case .refused(let status, let reason): refused(status: status, reason)
        }
    }

    func byteStreamReachedEnd(_ stream: any ByteStream) { stream.close(.immediately) }

    func byteStreamClosed(_ stream: any ByteStream, error: StreamError?) {
        let (said, before) = (farewell, phase)
        forgetConnection()
        let code = said?.code ?? 1_006
        let reason = said?.reason ?? error.map { "\($0)" } ?? "the server ended the stream"
        switch before {
        case .online, .authenticating: ended(code: code, reason: reason)
        default:
            room.count(refusal: 0)
            room.tell(number, .refused(status: 0, reason: reason))
        }
        returnSoon(after: code)
    }
}
