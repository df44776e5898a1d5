import EventLoop
import Wire

/// Sends messages as NDJSON, many lines a request, and a request again as a whole until each of its lines is
/// acknowledged. On its loop only.
final class BatchStream: Workload, EndableStream {
    private static let pauseMilliseconds = 50

    private let template: RequestTemplate
    private let users: Int
    private let ledger: CrashLedger
    private let loop: EventLoop
    private var connections: [LoadConnection] = []
    /// The first message of what each connection has sent.
    private var underWay: [Int: Int] = [:]
    private var paused: Set<Int> = []
    private var isEnding = false
    private(set) var lastAcknowledgedAt: Int64 = 0

    /// - Parameter template: with as many lines as a request shall have.
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

    func takeNoMore() { isEnding = true }

    var hasUnderWay: Bool { !underWay.isEmpty }

    func wake() { for connection in connections { connection.wake() } }

    func stop() {
        for connection in connections { connection.stop() }
        connections = []
    }

    func nextRequest(_ connection: LoadConnection) -> [UInt8]? {
        guard !paused.contains(connection.number) else { return nil }
        let (isEnding, count) = (isEnding, template.messagesPerRequest)
        let first = ledger.withLock { contents -> Int? in
            if let open = contents.openBatches.popLast() { return open }
            guard !isEnding else { return nil }
            defer { contents.next += count }
            contents.sent += count
            return contents.next
        }
        guard let first else { return nil }
        underWay[connection.number] = first
        return template.request(first: first) { $0 % users }
    }

    func answered(_ connection: LoadConnection, _ answer: AnswerScanner.Answer) {
        guard let first = underWay.removeValue(forKey: connection.number) else { return }
        let statuses =
            answer.status == 200
            ? BatchAnswer.statuses(of: answer.body, first: first, count: template.messagesPerRequest)
            : Array(repeating: answer.status, count: template.messagesPerRequest)
        note(statuses, first: first)
        if statuses.contains(where: { $0 != 202 }) { ledger.withLock { $0.openBatches.append(first) } }
        pause(connection)
    }

    private func note(_ statuses: [Int], first: Int) {
        let now = WallClock.now()
        if statuses.contains(202) { lastAcknowledgedAt = now }
        ledger.withLock { contents in
            for (number, status) in zip(first..., statuses) {
                switch status {
                case 202:
                    if contents.acknowledged.insert(number).inserted { contents.acknowledgedAt[number] = now }
                case 503, 429: contents.unavailable += 1
                default: contents.unexpected[status, default: 0] += 1
                }
            }
        }
    }

    func lost(_ connection: LoadConnection) {
        guard let first = underWay.removeValue(forKey: connection.number) else { return }
        let count = template.messagesPerRequest
        ledger.withLock { contents in
            contents.unanswered += count
            contents.openBatches.append(first)
        }
    }

    /// The load is to be steady, not all that the machine gives.
    private func pause(_ connection: LoadConnection) {
        paused.insert(connection.number)
        loop.timers.arm(afterMilliseconds: Self.pauseMilliseconds) { [self] in
            paused.remove(connection.number)
            connection.wake()
        }
    }
}

/// What the lines of an answer say of the lines of its request.
enum BatchAnswer {
    /// A status for each message: 0 where the line is another's, or missing.
    static func statuses(of body: ArraySlice<UInt8>, first: Int, count: Int) -> [Int] {
        let lines = body.split(separator: 0x0a).map { (try? JSONDocument(parsing: Array($0)))?.root }
        return (0..<count).map { index in
            guard index < lines.count, let line = lines[index],
                line["message_id"]?.string == RequestTemplate.messageID(first + index)
            else { return 0 }
            return Int(line["status"]?.integer ?? 0)
        }
    }
}
