import EventLoop
import Wire

/// The client's end of one WebSocket to the gateway, on one loop: whole text messages in and out.
final class GatewayConnection {
    enum Event: Equatable, Sendable {
        case opened
        case text([UInt8])
        /// The last event. The code is nil if the connection ended without a close frame.
        case closed(code: UInt16?, reason: String)
    }

    private enum Phase {
        case connecting
        case upgrading
        case open
        case closing
        case closed
    }

    /// The longest message a server may send: an entry holds a payload of 64 KiB and its text.
    static let messageLimit = 1_048_576
    private static let closeMilliseconds = 3_000

    private let address: WebAddress
    private let loop: EventLoop
    private let events: (Event) -> Void
    private let key = SecureRandom.bytes(count: 16)
    private var phase = Phase.connecting
    private var stream: (any ByteStream)?
    private var response = HTTPResponseParser()
    private var frames = WebSocketFrameParser(role: .client, messageLimit: messageLimit)
    private var farewell: (code: UInt16?, reason: String) = (nil, "")

    /// Call on the loop; `events` are told there.
    init(to address: WebAddress, tls: TLSContext?, on loop: EventLoop, events: @escaping (Event) -> Void) {
        self.address = address
        self.loop = loop
        self.events = events
        Connector(tls: tls).connect(host: address.host, port: address.port, on: loop) { [self] result in
            switch result {
            case .success(let stream): upgrade(stream)
            case .failure(let error): end(nil, "cannot connect to \(address): \(error.words)")
            }
        }
    }

    /// Ignored unless the connection is open.
    func send(_ text: [UInt8]) {
        guard phase == .open else { return }
        write(.text, text)
    }

    /// Says goodbye and waits a little for the answer.
    func close() {
        guard phase == .open else {
            farewell = (nil, "closed by us")
            stream?.close(.immediately)
            return
        }
        phase = .closing
        var bytes: [UInt8] = []
        WebSocketFrameWriter.writeClose(.normal, mask: Self.mask(), into: &bytes)
        stream?.send(bytes)
        loop.timers.arm(afterMilliseconds: Self.closeMilliseconds) { [weak stream] in
            stream?.close(.immediately)
        }
    }

    private func upgrade(_ stream: any ByteStream) {
        self.stream = stream
        phase = .upgrading
        stream.delegate = self
        stream.start()
        var bytes: [UInt8] = []
        HTTPRequestEncoder.encode(
            method: .get, target: "/v1/gateway", host: address.authority,
            headers: WebSocketHandshake.requestHeaders(key: key), body: [], into: &bytes)
        stream.send(bytes)
    }

    private func readUpgrade(_ bytes: ArraySlice<UInt8>) throws {
        response.append(bytes)
        guard let answer = try response.next() else { return }
        _ = try WebSocketHandshake.verify(answer, key: key)
        phase = .open
        events(.opened)
        try readFrames(response.takeRemainder()[...])
    }

    private func readFrames(_ bytes: ArraySlice<UInt8>) throws {
        frames.append(bytes)
        while phase == .open || phase == .closing, let event = try frames.next() {
            switch event {
            case .text(let text): events(.text(text))
            case .binary: throw WebSocketError.unknownOpcode(2)
            case .ping(let payload): write(.pong, payload)
            case .pong: break
            case .close(let code, let reason): answerClose(code?.rawValue, reason)
            }
        }
    }

    private func answerClose(_ code: UInt16?, _ reason: String) {
        farewell = (code, reason)
        if phase == .open {
            var bytes: [UInt8] = []
            WebSocketFrameWriter.writeClose(.normal, mask: Self.mask(), into: &bytes)
            stream?.send(bytes)
        }
        phase = .closing
        stream?.close(.gracefully)
    }

    private func write(_ opcode: WebSocketFrameWriter.Opcode, _ payload: [UInt8]) {
        var bytes: [UInt8] = []
        WebSocketFrameWriter.write(opcode, payload, mask: Self.mask(), into: &bytes)
        stream?.send(bytes)
    }

    private func end(_ code: UInt16?, _ reason: String) {
        guard phase != .closed else { return }
        phase = .closed
        stream = nil
        events(.closed(code: code, reason: reason))
    }

    private static func mask() -> UInt32 {
        SecureRandom.bytes(count: 4).reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension GatewayConnection: ByteStreamDelegate {
    func byteStream(_ stream: any ByteStream, received bytes: ArraySlice<UInt8>) {
        do {
            if phase == .upgrading { try readUpgrade(bytes) } else { try readFrames(bytes) }
        } catch {
            farewell = (nil, "the server's answer is not understood: \(error)")
            stream.close(.immediately)
        }
    }

    func byteStreamClosed(_ stream: any ByteStream, error: StreamError?) {
        if farewell.code == nil, farewell.reason.isEmpty {
            farewell.reason = error.map { "\($0)" } ?? "the server hung up"
        }
        end(farewell.code, farewell.reason)
    }
}
