import EventLoop

/// A stream that several share a ledger with. Belongs to its loop.
protocol EndableStream: AnyObject {
    func start(_ address: SocketAddress, connections: Int)
    /// No new message from now on. What another stream gave up may still be sent: whoever ends them calls
    /// `wake` until nothing is open or under way, and then `stop`.
    func takeNoMore()
    var hasUnderWay: Bool { get }
    /// When this stream's server acknowledged last, in milliseconds since 1970.
    var lastAcknowledgedAt: Int64 { get }
    func wake()
    func stop()
}

/// Messages to both servers, one a request and many a request: whoever owns the data takes them, the other
/// refuses, and nothing is given up.
struct FailoverTraffic: Sendable {
    private static let endMilliseconds = 60_000
    private static let lookMilliseconds = 20
    /// Lines of an NDJSON request.
    private static let lines = 10

    let ledger: CrashLedger
    /// For each server, one message a request and many.
    private let streams: [[LoopBound<any EndableStream>]]
    private let loop: EventLoop

    /// - Parameter connections: to each server for one message a request; half as many for many.
    static func start(
        apiKey: String, users: Int, ledger: CrashLedger, to addresses: [SocketAddress], connections: Int,
        on loop: EventLoop
    ) async -> FailoverTraffic {
        let templates = [nil, lines].map { lines in
            RequestTemplate(apiKey: apiKey, host: "localhost", lines: lines, conversations: .perMessage)
        }
        var streams: [[LoopBound<any EndableStream>]] = []
        for address in addresses {
            streams.append(
                await withCheckedContinuation { continuation in
                    loop.post {
                        let single = CrashStream(templates[0], users: users, ledger: ledger, on: loop)
                        let batches = BatchStream(templates[1], users: users, ledger: ledger, on: loop)
                        single.start(address, connections: connections)
                        batches.start(address, connections: max(1, connections / 2))
                        let both: [any EndableStream] = [single, batches]
                        continuation.resume(returning: both.map { LoopBound($0, on: loop) })
                    }
                })
        }
        return FailoverTraffic(ledger: ledger, streams: streams, loop: loop)
    }

    /// When a server acknowledged last, in milliseconds since 1970.
    func lastAcknowledgement(of index: Int) async -> Int64 {
        let streams = streams[index]
        return await withCheckedContinuation { continuation in
            loop.post {
                continuation.resume(returning: streams.map(\.value.lastAcknowledgedAt).max() ?? 0)
            }
        }
    }

    /// No new message; returns when every one sent is acknowledged. What one server refuses the other gets.
    func end() async throws(LoadtestFailure) {
        for attempt in 0..<(Self.endMilliseconds / Self.lookMilliseconds) {
            if await look(isFirst: attempt == 0) { return }
            try? await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
        }
        throw LoadtestFailure("messages are not acknowledged in \(Self.endMilliseconds / 1_000) s")
    }

    /// True when all is acknowledged, and the streams are stopped.
    private func look(isFirst: Bool) async -> Bool {
        let (streams, ledger) = (streams.flatMap { $0 }, ledger)
        return await withCheckedContinuation { continuation in
            loop.post {
                if isFirst { for stream in streams { stream.value.takeNoMore() } }
                let isOver =
                    ledger.withLock { $0.open.isEmpty && $0.openBatches.isEmpty }
                    && !streams.contains { $0.value.hasUnderWay }
                for stream in streams { if isOver { stream.value.stop() } else { stream.value.wake() } }
                continuation.resume(returning: isOver)
            }
        }
    }
}
