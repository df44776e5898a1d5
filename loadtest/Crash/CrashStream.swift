import EventLoop
import Synchronization

/// What was sent and what was acknowledged, over all rounds.
final class CrashLedger: Sendable {
    struct Contents: Sendable {
        var next = 0
        /// Sent and not yet acknowledged: they are repeated until they are.
        var open: [Int] = []
        /// The same for requests with many lines: the first message of each.
        var openBatches: [Int] = []
        var sent = 0
        var acknowledged: Set<Int> = []
        /// When each acknowledgement came, in milliseconds since 1970.
        var acknowledgedAt: [Int: Int64] = [:]
        var unavailable = 0
        var unanswered = 0
        var unexpected: [Int: Int] = [:]
    }

    private let contents = Mutex(Contents())

    func withLock<R: Sendable>(_ body: (inout Contents) -> R) -> R { contents.withLock { body(&$0) } }

    var snapshot: Contents { contents.withLock { $0 } }
}

/// Sends messages, and again those whose outcome is unknown,
/// until told to stop; then only those that are open.
final class CrashStream: Workload, EndableStream {
    private let template: RequestTemplate
    private let users: Int
    private let ledger: CrashLedger
    private let loop: EventLoop
    private var connections: [LoadConnection] = []
    private var underWay: [Int: Int] = [:]
    private var paused: Set<Int> = []
    private var isEnding = false
    private var done: (() -> Void)?
    /// When this stream's server acknowledged last, in milliseconds since 1970.
    private(set) var lastAcknowledgedAt: Int64 = 0
    private static let pauseMilliseconds = 50

    init(_ template: RequestTemplate, users: Int, ledger: CrashLedger, on loop: EventLoop) {
        self.template = template
        self.users = users
        self.ledger = ledger
        self.loop = loop
    }

    func start(_ address: SocketAddress, connections count: Int) {
        connections = (0..<count).map { LoadConnection($0, to: address, on: loop, workload: self) }
        for connection in connections { connection.start() }
    }

    /// No new message from now on; calls back when every one sent is acknowledged.
    func end(_ done: @escaping () -> Void) {
        isEnding = true
        self.done = done
        finishIfSettled()
        for connection in connections { connection.wake() }
    }

    /// No new message from now on. Of several streams with one ledger each may have to send what another gave
    /// up: whoever ends them calls `wake` until nothing is open or under way, and then `stop`.
    func takeNoMore() { isEnding = true }

    var hasUnderWay: Bool { !underWay.isEmpty }

    func wake() { for connection in connections { connection.wake() } }

    func stop() {
        for connection in connections { connection.stop() }
        connections = []
    }

    func nextRequest(_ connection: LoadConnection) -> [UInt8]? {
        guard !paused.contains(connection.number) else { return nil }
        let isEnding = isEnding
        let number = ledger.withLock { contents -> Int? in
            if let open = contents.open.popLast() { return open }
            guard !isEnding else { return nil }
            defer { contents.next += 1 }
            contents.sent += 1
            return contents.next
        }
        guard let number else { return nil }
        underWay[connection.number] = number
        return template.request(first: number) { $0 % users }
    }

    func answered(_ connection: LoadConnection, _ answer: AnswerScanner.Answer) {
        guard let number = underWay.removeValue(forKey: connection.number) else { return }
        switch answer.status {
        case 202:
            let now = WallClock.now()
            lastAcknowledgedAt = now
            ledger.withLock { contents in
                contents.acknowledged.insert(number)
                contents.acknowledgedAt[number] = now
            }
        case 503, 429:
            ledger.withLock { $0.unavailable += 1 }
            repeatLater(number, connection)
        default:
            ledger.withLock { $0.unexpected[answer.status, default: 0] += 1 }
            repeatLater(number, connection)
        }
        finishIfSettled()
    }

    func lost(_ connection: LoadConnection) {
        guard let number = underWay.removeValue(forKey: connection.number) else { return }
        ledger.withLock { contents in
            contents.unanswered += 1
            contents.open.append(number)
        }
    }

    /// Not at once, and nothing else meanwhile: a server whose database is away answers fast.
    private func repeatLater(_ number: Int, _ connection: LoadConnection) {
        ledger.withLock { $0.open.append(number) }
        paused.insert(connection.number)
        loop.timers.arm(afterMilliseconds: Self.pauseMilliseconds) { [self] in
            paused.remove(connection.number)
            connection.wake()
        }
    }

    private func finishIfSettled() {
        guard isEnding, underWay.isEmpty, ledger.withLock({ $0.open.isEmpty }), let done
        else {
            return
        }
        self.done = nil
        stop()
        done()
    }
}
