import EventLoop
import Wire

/// A device whose WebSocket is open and which has not said yet who it is: its AUTH reaches an owner that is
/// paused, and is read when that wakes up. On its loop only.
final class PatientClient {
    private let loop: EventLoop
    private let handshake: UpgradeHandshake
    private var parser = WebSocketFrameParser(role: .client, messageLimit: 1 << 20)
    private var stream: (any ByteStream)?
    private var opened: ((Bool) -> Void)?
    private var isOpen = false
    /// The types of the frames it got.
    private(set) var frames: [String] = []
    private(set) var isClosed = false

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

    func close() { stream?.close(.immediately) }

    private func finishOpening(_ isOpen: Bool) {
        self.isOpen = isOpen
        opened?(isOpen)
        opened = nil
    }

    private func take(_ bytes: ArraySlice<UInt8>) {
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
        isClosed = true
        self.stream = nil
        finishOpening(false)
    }
}

/// Some of them.
struct PatientClients: Sendable {
    private let clients: [LoopBound<PatientClient>]
    private let loop: EventLoop

    var count: Int { clients.count }

    static func open(_ count: Int, to address: SocketAddress, on loop: EventLoop) async -> PatientClients {
        var clients: [LoopBound<PatientClient>] = []
        for _ in 0..<count {
            if let client = await PatientClient.open(to: address, on: loop) { clients.append(client) }
        }
        return PatientClients(clients: clients, loop: loop)
    }

    /// Says who they are, as some device that is not registered.
    func authenticate(_ tenant: LoadTenant) async throws {
        for (user, client) in clients.enumerated() {
            let token = try tenant.credential(of: user, device: "patient")
            loop.post { client.value.authenticate(token) }
        }
    }

    /// The types of all frames they got; then they hang up.
    func end() async -> [String] {
        let clients = clients
        return await withCheckedContinuation { continuation in
            loop.post {
                continuation.resume(returning: clients.flatMap(\.value.frames))
                for client in clients { client.value.close() }
            }
        }
    }
}
