import EventLoop
import Wire

/// A device under close control: says who it is when told to, and reads when told to. On its loop only.
final class PatientClient {
    private let loop: EventLoop
    private let handshake: UpgradeHandshake
    private var parser = WebSocketFrameParser(role: .client, messageLimit: 1 << 20)
    private var stream: (any ByteStream)?
    private var opened: ((Bool) -> Void)?
    private var isOpen = false
    /// The types of the frames it got.
    private(set) var frames: [String] = []
    /// Bytes since the WebSocket opened.
    private(set) var received = 0

    private init(_ address: SocketAddress, on loop: EventLoop, opened: @escaping (Bool) -> Void) {
        self.loop = loop
        self.opened = opened
        handshake = UpgradeHandshake(host: "\(address)")
        Connector().connect(to: address, on: loop) { [self] result in
            guard case .success(let stream) = result else { return finishOpening(false) }
            self.stream = stream
            stream.delegate = self
            stream.start()
            stream.send(handshake.request)
        }
    }

    /// Nil if no WebSocket comes about.
    static func open(to address: SocketAddress, on loop: EventLoop) async -> LoopBound<PatientClient>? {
        await withCheckedContinuation { continuation in
            loop.post {
                var client: PatientClient?
                client = PatientClient(address, on: loop) { isOpen in
                    continuation.resume(returning: isOpen ? client.map { LoopBound($0, on: loop) } : nil)
                    client = nil
                }
            }
        }
    }

    func authenticate(_ token: String) {
        let frame = DeviceFrame.authenticate(token: token, mailbox: nil, appliedSeq: 0, isFromHead: false)
        var bytes: [UInt8] = []
        WebSocketFrameWriter.write(.text, frame, mask: UInt32.random(in: 1...UInt32.max), into: &bytes)
        stream?.send(bytes)
    }

    /// What is sent to it from now on fills the buffers of both kernels, and then the server's own.
    func pause() { stream?.pauseReading() }

    func resume() { stream?.resumeReading() }

    func close() { stream?.close(.immediately) }

    private func finishOpening(_ isOpen: Bool) {
        self.isOpen = isOpen
        opened?(isOpen)
        opened = nil
    }

    private func take(_ bytes: ArraySlice<UInt8>) {
        received += bytes.count
        parser.append(bytes)
        do throws(WebSocketError) {
            while let event = try parser.next() {
                guard case .text(let text) = event else { continue }
                frames.append((try? JSONDocument(parsing: text))?.root["type"]?.string ?? "?")
            }
        } catch {
            frames.append("\(error)")
        }
    }
}

extension PatientClient: ByteStreamDelegate {
    func byteStream(_ stream: any ByteStream, received bytes: ArraySlice<UInt8>) {
        guard !isOpen else { return take(bytes) }
        switch handshake.take(bytes) {
        case .unfinished: return
        case .refused: finishOpening(false)
        case .upgraded(let rest):
            finishOpening(true)
            if !rest.isEmpty { take(rest[...]) }
        }
    }

    func byteStreamReachedEnd(_ stream: any ByteStream) { stream.close(.immediately) }

    func byteStreamClosed(_ stream: any ByteStream, error: StreamError?) {
        self.stream = nil
        finishOpening(false)
    }
}
