import EventLoop

/// Remembers what a stream told, and wakes a test that waits for
/// something of it. Used on the stream's loop only.
final class Recorder: ByteStreamDelegate {
    private(set) var received: [UInt8] = []
    private(set) var isEnded = false
    private(set) var isClosed = false
    private(set) var closings = 0
    private(set) var error: StreamError?
    private(set) var progress: [UInt64] = []
    private(set) var isSecure = false
    var onReceive: ((any ByteStream, ArraySlice<UInt8>) -> Void)?
    var onEnd: ((any ByteStream) -> Void)?
    private var waiters: [(condition: (Recorder) -> Bool, resume: () -> Void)] = []

    func wake(when condition: @escaping (Recorder) -> Bool, _ resume: @escaping () -> Void) {
        waiters.append((condition, resume))
        check()
    }

    private func check() {
        let ready = waiters.filter { $0.condition(self) }
        waiters.removeAll { $0.condition(self) }
        for waiter in ready { waiter.resume() }
    }

    func byteStream(_ stream: any ByteStream, received bytes: ArraySlice<UInt8>) {
        received += bytes
        onReceive?(stream, bytes)
        check()
    }

    func byteStreamReachedEnd(_ stream: any ByteStream) {
        isEnded = true
        if let onEnd { onEnd(stream) } else { stream.close(.gracefully) }
        check()
    }

    func byteStreamProgressed(_ stream: any ByteStream) {
        progress.append(stream.sentOffset)
        check()
    }

    func byteStreamBecameSecure(_ stream: any ByteStream) {
        isSecure = true
        check()
    }

    func byteStreamClosed(_ stream: any ByteStream, error: StreamError?) {
        isClosed = true
        closings += 1
        self.error = error
        check()
    }
}

/// One end of a connection and what it told.
struct End: Sendable {
    let loop: EventLoop
    let stream: LoopBound<any ByteStream>
    let recorder: LoopBound<Recorder>

    /// Call on the loop; starts the stream.
    init(_ stream: any ByteStream, _ setUp: (Recorder) -> Void = { _ in }) {
        let recorder = Recorder()
        setUp(recorder)
        loop = stream.loop
        self.stream = LoopBound(stream, on: stream.loop)
        self.recorder = LoopBound(recorder, on: stream.loop)
        stream.delegate = recorder
        stream.start()
    }

    func act(_ work: @escaping @Sendable (any ByteStream) -> Void) {
        loop.post { work(stream.value) }
    }

    func wait(until condition: @escaping @Sendable (Recorder) -> Bool) async {
        await withCheckedContinuation { done in
            loop.post { recorder.value.wake(when: condition) { done.resume() } }
        }
    }

    func read<R: Sendable>(_ value: @Sendable (Recorder) -> R) -> R {
        loop.sync { value(recorder.value) }
    }
}

/// A listener whose arrivals can be awaited one by one.
final class Host: Sendable {
    let group: EventLoopGroup
    let listener: Listener
    let arrivals: AsyncStream<End>

    init(
        loops: Int = 1, address: SocketAddress = .loopback(),
        settings: Listener.Settings = Listener.Settings(),
        setUp: @escaping @Sendable (Recorder) -> Void = { _ in },
        accept: @escaping Listener.Accept = Listener.systemAccept
    ) throws {
        let (arrivals, arrived) = AsyncStream<End>.makeStream()
        self.arrivals = arrivals
        group = EventLoopGroup(count: loops)
        listener = try Listener(address: address, group: group, settings: settings, accept: accept) {
            arrival in
            arrived.yield(End(arrival.socket, setUp))
        }
    }

    func next() async throws -> End {
        for await end in arrivals { return end }
        throw CancellationError()
    }

    func connect(
        _ connector: Connector = Connector(), setUp: @escaping @Sendable (Recorder) -> Void = { _ in }
    ) async throws -> End {
        try await open(to: listener.address, on: group.next(), connector, setUp: setUp)
    }

    deinit { listener.close() }
}

func open(
    to address: SocketAddress, on loop: EventLoop, _ connector: Connector = Connector(), host: String? = nil,
    setUp: @escaping @Sendable (Recorder) -> Void = { _ in }
) async throws -> End {
    try await withCheckedThrowingContinuation { done in
        loop.post {
            connector.connect(to: address, host: host, on: loop) { result in
                done.resume(with: result.map { End($0, setUp) }.mapError { $0 })
            }
        }
    }
}
