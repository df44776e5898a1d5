import Dispatch

/// One try at one address. The descriptor changes hands only after the source that waited on it is gone.
final class ConnectAttempt {
    private let loop: EventLoop
    private let isTCP: Bool
    private var completion: ((Result<StreamSocket, SystemError>) -> Void)?
    private var source: (any DispatchSourceWrite)?
    private var descriptor: Int32 = -1
    private var isConnected = false

    /// Completes on the loop, later, once; not after `cancel`.
    init(
        to address: SocketAddress, options: SocketOptions, on loop: EventLoop,
        completion: @escaping (Result<StreamSocket, SystemError>) -> Void
    ) {
        self.loop = loop
        self.completion = completion
        isTCP = address.port != nil
        do {
            try begin(address, options)
        } catch {
            if descriptor >= 0 { System.close(descriptor) }
            completeSoon(error)
        }
    }

    func cancel() {
        completion = nil
        source?.cancel()
    }

    private func begin(_ address: SocketAddress, _ options: SocketOptions) throws(SystemError) {
        descriptor = try System.socket(for: address)
        try options.apply(to: descriptor, isTCP: isTCP)
        _ = try System.connect(descriptor, to: address)
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: loop.queue)
        let me = LoopBound(self, on: loop)
        source.setEventHandler { @Sendable in me.value.writable() }
        source.setCancelHandler { @Sendable in me.value.cancelled() }
        self.source = source
        source.activate()
    }

    private func writable() {
        guard let source, completion != nil else { return }
        let code = System.pendingError(descriptor)
        if code == 0 {
            isConnected = true
        } else {
            take()?(.failure(SystemError(call: "connect", code: code)))
        }
        source.cancel()
    }

    private func cancelled() {
        source = nil
        guard isConnected, let completion = take() else { return System.close(descriptor) }
        completion(.success(StreamSocket(adopting: descriptor, on: loop)))
    }

    private func completeSoon(_ error: SystemError) {
        let me = LoopBound(self, on: loop)
        loop.post { me.value.take()?(.failure(error)) }
    }

    private func take() -> ((Result<StreamSocket, SystemError>) -> Void)? {
        defer { completion = nil }
        return completion
    }
}
