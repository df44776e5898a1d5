import EventLoop

/// Messages to both servers: whoever owns the data takes them, the other refuses, and nothing is given up.
struct FailoverTraffic: Sendable {
    private static let endMilliseconds = 60_000
    private static let lookMilliseconds = 20

    let ledger: CrashLedger
    private let streams: [LoopBound<CrashStream>]
    private let loop: EventLoop

    static func start(
        _ template: RequestTemplate, users: Int, ledger: CrashLedger, to addresses: [SocketAddress],
        connections: Int, on loop: EventLoop
    ) async -> FailoverTraffic {
        var streams: [LoopBound<CrashStream>] = []
        for address in addresses {
            streams.append(
                await withCheckedContinuation { continuation in
                    loop.post {
                        let stream = CrashStream(template, users: users, ledger: ledger, on: loop)
                        stream.start(address, connections: connections)
                        continuation.resume(returning: LoopBound(stream, on: loop))
                    }
                })
        }
        return FailoverTraffic(ledger: ledger, streams: streams, loop: loop)
    }

    /// When a server acknowledged last, in milliseconds since 1970.
    func lastAcknowledgement(of index: Int) async -> Int64 {
        let stream = streams[index]
        return await withCheckedContinuation { continuation in
            loop.post { continuation.resume(returning: stream.value.lastAcknowledgedAt) }
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
        let (streams, ledger) = (streams, ledger)
        return await withCheckedContinuation { continuation in
            loop.post {
                if isFirst { for stream in streams { stream.value.takeNoMore() } }
                let isOver = ledger.withLock { $0.open.isEmpty } && !streams.contains { $0.value.hasUnderWay }
                for stream in streams { if isOver { stream.value.stop() } else { stream.value.wake() } }
                continuation.resume(returning: isOver)
            }
        }
    }
}
