import EventLoop
import Synchronization
import Wire

/// Sends messages over so many connections, each waiting for its answer, until it is told to stop.
/// Belongs to its loop.
final class IngestLoad: Workload {
    /// What a phase brought.
    struct Result: Sendable {
        var accepted = 0
        /// Answers other than success, by status, and lines refused.
        var refused: [Int: Int] = [:]
        var lost = 0
        var seconds = 0.0
        var latencies = Latencies()
    }

    private let template: RequestTemplate
    private let users: Int
    private let stride: Int
    private let loop: EventLoop
    private let numbers: MessageNumbers
    private var connections: [LoadConnection] = []
    private var sentAt: [UInt64]
    private var result = Result()
    private var begun: UInt64 = 0
    private var isOver = false
    private var underWay = 0
    private var done: ((Result) -> Void)?

    private init(
        _ template: RequestTemplate, users: Int, connections: Int, numbers: MessageNumbers, stride: Int,
        _ loop: EventLoop, done: @escaping (Result) -> Void
    ) {
        self.template = template
        self.users = users
        self.numbers = numbers
        self.stride = stride
        self.loop = loop
        self.done = done
        sentAt = Array(repeating: 0, count: connections)
    }

    static func run(
        _ template: RequestTemplate, to address: SocketAddress, users: Int, connections: Int, seconds: Double,
        numbers: MessageNumbers, stride: Int = 1, _ loop: EventLoop
    ) async -> Result {
        await withCheckedContinuation { continuation in
            loop.post {
                let load = IngestLoad(
                    template, users: users, connections: connections, numbers: numbers, stride: stride, loop
                ) { continuation.resume(returning: $0) }
                load.begin(address, connections, milliseconds: Int(seconds * 1_000))
            }
        }
    }

    private func begin(_ address: SocketAddress, _ count: Int, milliseconds: Int) {
        begun = MonotonicClock.now()
        connections = (0..<count).map { LoadConnection($0, to: address, on: loop, workload: self) }
        for connection in connections { connection.start() }
        tellInTwoSeconds()
        loop.timers.arm(afterMilliseconds: milliseconds) { [self] in
            isOver = true
            finishIfIdle()
        }
    }

    private func tellInTwoSeconds() {
        loop.timers.arm(afterMilliseconds: 2_000) { [self] in
            guard !isOver else { return }
            Progress.say("\(result.accepted) accepted")
            tellInTwoSeconds()
        }
    }

    func nextRequest(_ connection: LoadConnection) -> [UInt8]? {
        guard !isOver else { return nil }
        underWay += 1
        sentAt[connection.number] = MonotonicClock.now()
        return template.request(first: numbers.take(template.messagesPerRequest)) { $0 &* stride % users }
    }

    func answered(_ connection: LoadConnection, _ answer: AnswerScanner.Answer) {
        underWay -= 1
        result.latencies.add(nanoseconds: MonotonicClock.now() - sentAt[connection.number])
        switch answer.status {
        case 202: result.accepted += 1
        case 200: countLines(answer.body)
        default: result.refused[answer.status, default: 0] += template.messagesPerRequest
        }
        finishIfIdle()
    }

    func lost(_ connection: LoadConnection) {
        underWay -= 1
        result.lost += template.messagesPerRequest
        finishIfIdle()
    }

    /// Each line of the answer tells the status of one message.
    private func countLines(_ body: ArraySlice<UInt8>) {
        for line in body.split(separator: 0x0a) {
            let status = (try? JSONDocument(parsing: Array(line)))?.root["status"]?.integer ?? 0
            if status == 202 {
                result.accepted += 1
            } else {
                result.refused[Int(status), default: 0] += 1
            }
        }
    }

    private func finishIfIdle() {
        guard isOver, underWay == 0, let done else { return }
        self.done = nil
        result.seconds = Double(MonotonicClock.now() - begun) / 1e9
        for connection in connections { connection.stop() }
        connections = []
        done(result)
    }
}

/// Gives out the numbers of messages, over all phases of a run, each once.
final class MessageNumbers: Sendable {
    private let next = Atomic<Int>(0)

    func take(_ count: Int) -> Int { next.wrappingAdd(count, ordering: .relaxed).oldValue }
}
