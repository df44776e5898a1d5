import EventLoop
import Wire

/// What connections of a run send, and where their answers go. Belongs to the connections' loop.
protocol Workload: AnyObject {
    /// The next request of a connection that is free; nil: none now, ask again after `wake`.
    func nextRequest(_ connection: LoadConnection) -> [UInt8]?
    func answered(_ connection: LoadConnection, _ answer: AnswerScanner.Answer)
    /// The connection went with a request under way: whether that was taken is unknown. It connects again.
    func lost(_ connection: LoadConnection)
}

/// One keep-alive connection in a closed loop: the next request
/// follows the answer to the last. On its loop only.
final class LoadConnection {
    private static let reconnectMilliseconds = 20

    let number: Int
    private let address: SocketAddress
    private let loop: EventLoop
    /// Let go of when the connection is stopped: the workload holds its connections.
    private var workload: (any Workload)?
    private var scanner = AnswerScanner()
    private var stream: (any ByteStream)?
    private var isWaiting = false
    private var isStopped = false

    init(_ number: Int, to address: SocketAddress, on loop: EventLoop, workload: any Workload) {
        self.number = number
        self.address = address
        self.loop = loop
        self.workload = workload
    }

    func start() {
        guard !isStopped else { return }
        Connector().connect(to: address, on: loop) { [self] result in
            guard case .success(let stream) = result, !isStopped else { return reconnect() }
            self.stream = stream
            stream.delegate = self
            stream.start()
            sendNext()
        }
    }

    /// There is something to send again.
    func wake() {
        if stream != nil && !isWaiting { sendNext() }
    }

    func stop() {
        isStopped = true
        workload = nil
        stream?.close(.immediately)
    }

    private func sendNext() {
        guard !isStopped, let stream, let request = workload?.nextRequest(self) else { return }
        isWaiting = true
        stream.send(request)
    }

    private func reconnect() {
        guard !isStopped else { return }
        loop.timers.arm(afterMilliseconds: Self.reconnectMilliseconds) { [self] in start() }
    }
}

extension LoadConnection: ByteStreamDelegate {
    func byteStream(_ stream: any ByteStream, received bytes: ArraySlice<UInt8>) {
        scanner.append(bytes)
        do {
            while !isStopped, let answer = try scanner.next() {
                isWaiting = false
                workload?.answered(self, answer)
                sendNext()
            }
        } catch {
            Progress.say("\(error)")
            stream.close(.reset)
        }
    }

    func byteStreamReachedEnd(_ stream: any ByteStream) { stream.close(.immediately) }

    func byteStreamClosed(_ stream: any ByteStream, error: StreamError?) {
        let wasWaiting = isWaiting
        self.stream = nil
        isWaiting = false
        scanner = AnswerScanner()
        guard !isStopped else { return }
        if wasWaiting { workload?.lost(self) }
        reconnect()
    }
}
