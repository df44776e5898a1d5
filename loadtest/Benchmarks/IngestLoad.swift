import Dispatch
import EventLoop
import Synchronization
import Wire

/// Sends messages over so many connections, each waiting for its answer, for so long.
///
/// A thread of its own waits for all connections together: with a loop, a third of what the generator takes
/// of the cores would be its waking. A connection that ends is not opened again: the run has failed then.
final class IngestLoad {
    /// What a phase brought.
    struct Result: Sendable {
        var accepted = 0
        /// Answers other than success, by status, and lines refused.
        var refused: [Int: Int] = [:]
        var lost = 0
        var seconds = 0.0
        var latencies = Latencies()
    }

    private struct Connection {
        var scanner = AnswerScanner()
        /// When the request left that is not answered yet.
        var sentAt: UInt64?
    }

    private static let lookMilliseconds = 20
    private static let tellNanoseconds: UInt64 = 2_000_000_000

    private let template: RequestTemplate
    private let users: Int
    private let stride: Int
    private let numbers: MessageNumbers
    private let sockets: BlockingSockets
    private var connections: [Connection] = []
    private var result = Result()
    private var underWay = 0
    private var isOver = false

    private init(
        _ template: RequestTemplate, users: Int, numbers: MessageNumbers, stride: Int
    ) throws(SystemError) {
        self.template = template
        self.users = users
        self.numbers = numbers
        self.stride = stride
        sockets = try BlockingSockets()
    }

    static func run(
        _ template: RequestTemplate, to address: SocketAddress, users: Int, connections: Int, seconds: Double,
        numbers: MessageNumbers, stride: Int = 1
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "generator").async { @Sendable in
                continuation.resume(
                    with: Swift.Result {
                        let load = try IngestLoad(template, users: users, numbers: numbers, stride: stride)
                        return try load.run(address, connections, nanoseconds: UInt64(seconds * 1e9))
                    })
            }
        }
    }

    private func run(
        _ address: SocketAddress, _ count: Int, nanoseconds: UInt64
    ) throws(SystemError) -> Result {
        for _ in 0..<count {
            _ = try sockets.connect(to: address)
            connections.append(Connection())
        }
        let begun = MonotonicClock.now()
        for number in 0..<count { sendNext(number) }
        var told = begun
        while underWay > 0 {
            sockets.receive(withinMilliseconds: Self.lookMilliseconds) { number, bytes in
                if let bytes { received(bytes, number) } else { ended(number) }
            }
            let now = MonotonicClock.now()
            isOver = now - begun >= nanoseconds
            if !isOver, now - told >= Self.tellNanoseconds {
                told = now
                Progress.say("\(result.accepted) accepted")
            }
        }
        result.seconds = Double(MonotonicClock.now() - begun) / 1e9
        return result
    }

    private func sendNext(_ number: Int) {
        guard !isOver else { return }
        let request = template.request(first: numbers.take(template.messagesPerRequest)) {
            $0 &* stride % users
        }
        connections[number].sentAt = MonotonicClock.now()
        underWay += 1
        if !sockets.send(request, on: number) { ended(number) }
    }

    private func received(_ bytes: ArraySlice<UInt8>, _ number: Int) {
        connections[number].scanner.append(bytes)
        do {
            while let answer = try connections[number].scanner.next() {
                answered(number, answer)
                sendNext(number)
            }
        } catch {
            Progress.say("\(error)")
            ended(number)
        }
    }

    private func answered(_ number: Int, _ answer: AnswerScanner.Answer) {
        guard let sentAt = connections[number].sentAt.take() else { return }
        underWay -= 1
        result.latencies.add(nanoseconds: MonotonicClock.now() - sentAt)
        switch answer.status {
        case 202: result.accepted += 1
        case 200: countLines(answer.body)
        default: result.refused[answer.status, default: 0] += template.messagesPerRequest
        }
    }

    private func ended(_ number: Int) {
        guard connections[number].sentAt.take() != nil else { return }
        underWay -= 1
        result.lost += template.messagesPerRequest
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
}

/// Gives out the numbers of messages, over all phases of a run, each once.
final class MessageNumbers: Sendable {
    private let next = Atomic<Int>(0)

    func take(_ count: Int) -> Int { next.wrappingAdd(count, ordering: .relaxed).oldValue }
}
