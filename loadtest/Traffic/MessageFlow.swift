import EventLoop
import Wire

/// Messages at a steady rate over a few connections, each repeated until it is acknowledged. On its loop.
final class MessageFlow: Workload {
    struct Plan: Sendable {
        let template: RequestTemplate
        let users: Int
        /// The number of the first message; message n goes to user `firstUser` + n % users.
        var first = 0
        var firstUser = 0
        /// How many; nil: until told to end.
        var count: Int?
        /// Messages a second; 0: as fast as they are acknowledged.
        var rate = 0
        var connections = 64

        init(_ template: RequestTemplate, users: Int) {
            self.template = template
            self.users = users
        }
    }

    struct Result: Sendable {
        var sent = 0
        var acknowledged = 0
        /// Tasks that the acknowledgements counted.
        var tasks = 0
        /// Acknowledgements that said that nothing was new.
        var duplicates = 0
        /// Answers of 429 and 503, and requests whose connection broke: repeated.
        var repeated = 0
        var unexpected: [Int: Int] = [:]
        /// By the boot clock, for each message by its number less the first; single messages only.
        var acknowledgedAt: [UInt64] = []
        /// From a request's sending to its answer.
        var latencies = Latencies()
        var seconds = 0.0
    }

    private static let lookMilliseconds = 8

    private let plan: Plan
    private let loop: EventLoop
    private var connections: [LoadConnection] = []
    private var underWay: [Int: (first: Int, at: UInt64)] = [:]
    private var open: [Int] = []
    private var result = Result()
    private let begun = MonotonicClock.now()
    private var isEnding = false
    private var done: ((Result) -> Void)?

    private init(_ plan: Plan, on loop: EventLoop) {
        self.plan = plan
        self.loop = loop
    }

    /// Begins to send.
    static func start(_ plan: Plan, to address: SocketAddress, on loop: EventLoop) async -> Running {
        await withCheckedContinuation { continuation in
            loop.post {
                let flow = MessageFlow(plan, on: loop)
                flow.connections = (0..<plan.connections).map {
                    LoadConnection($0, to: address, on: loop, workload: flow)
                }
                for connection in flow.connections { connection.start() }
                flow.lookSoon()
                continuation.resume(returning: Running(flow: LoopBound(flow, on: loop), loop: loop))
            }
        }
    }

    /// Sends all that is planned; returns when all is acknowledged.
    static func run(_ plan: Plan, to address: SocketAddress, on loop: EventLoop) async -> Result {
        await start(plan, to: address, on: loop).finished(endingNow: false)
    }

    /// A flow that has begun.
    struct Running: Sendable {
        fileprivate let flow: LoopBound<MessageFlow>
        fileprivate let loop: EventLoop

        /// Returns when all is acknowledged. Once per flow.
        /// - Parameter endingNow: nothing new is sent from now on.
        func finished(endingNow: Bool = true) async -> Result {
            await withCheckedContinuation { continuation in
                loop.post {
                    let flow = flow.value
                    if endingNow { flow.isEnding = true }
                    flow.done = { continuation.resume(returning: $0) }
                    flow.finishIfSettled()
                    for connection in flow.connections { connection.wake() }
                }
            }
        }

        var progress: Result {
            get async {
                await withCheckedContinuation { continuation in
                    loop.post { continuation.resume(returning: flow.value.result) }
                }
            }
        }

        /// The answers' times since the last call.
        func takeLatencies() async -> Latencies {
            await withCheckedContinuation { continuation in
                loop.post {
                    continuation.resume(returning: flow.value.result.latencies)
                    flow.value.result.latencies.removeAll()
                }
            }
        }
    }

    // MARK: Sending

    func nextRequest(_ connection: LoadConnection) -> [UInt8]? {
        guard let first = open.popLast() ?? fresh() else { return nil }
        underWay[connection.number] = (first, MonotonicClock.now())
        let (users, offset) = (plan.users, plan.firstUser)
        return plan.template.request(first: first) { offset + $0 % users }
    }

    /// The next message's number, if it may be sent now.
    private func fresh() -> Int? {
        guard !isEnding, result.sent < plan.count ?? .max, result.sent < allowed else { return nil }
        defer { result.sent += plan.template.messagesPerRequest }
        return plan.first + result.sent
    }

    private var allowed: Int {
        guard plan.rate > 0 else { return .max }
        return Int(Double(MonotonicClock.now() - begun) / 1e9 * Double(plan.rate)) + 1
    }

    private func lookSoon() {
        guard plan.rate > 0 else { return }
        loop.timers.arm(afterMilliseconds: Self.lookMilliseconds) { [self] in
            guard !connections.isEmpty else { return }
            for connection in connections { connection.wake() }
            lookSoon()
        }
    }

    // MARK: Answers

    func answered(_ connection: LoadConnection, _ answer: AnswerScanner.Answer) {
        guard let request = underWay.removeValue(forKey: connection.number) else { return }
        result.latencies.add(nanoseconds: MonotonicClock.now() - request.at)
        switch answer.status {
        case 202:
            note(request.first - plan.first)
            count(Array(answer.body))
        case 200: countLines(answer.body, request.first)
        default:
            if answer.status != 429, answer.status != 503 {
                result.unexpected[answer.status, default: 0] += 1
            }
            repeatSoon(request.first)
        }
        finishIfSettled()
    }

    func lost(_ connection: LoadConnection) {
        guard let request = underWay.removeValue(forKey: connection.number) else { return }
        repeatSoon(request.first)
    }

    private func note(_ index: Int) {
        while result.acknowledgedAt.count <= index { result.acknowledgedAt.append(0) }
        result.acknowledgedAt[index] = MonotonicClock.now()
    }

    private func count(_ body: [UInt8]) {
        result.acknowledged += 1
        guard let root = (try? JSONDocument(parsing: body))?.root else { return }
        result.tasks += Int(root["tasks"]?.integer ?? 0)
        if root["duplicate"]?.bool == true { result.duplicates += 1 }
    }

    /// All lines of a request must be taken; else it is repeated, which makes nothing twice.
    private func countLines(_ body: ArraySlice<UInt8>, _ first: Int) {
        let lines = body.split(separator: 0x0a).map { Array($0) }
        let statuses = lines.map { (try? JSONDocument(parsing: $0))?.root["status"]?.integer ?? 0 }
        guard statuses.count == plan.template.messagesPerRequest, statuses.allSatisfy({ $0 == 202 }) else {
            for status in statuses where ![202, 429, 503].contains(status) {
                result.unexpected[Int(status), default: 0] += 1
            }
            return repeatSoon(first)
        }
        for line in lines { count(line) }
    }

    private func repeatSoon(_ first: Int) {
        result.repeated += 1
        loop.timers.arm(afterMilliseconds: 50) { [self] in
            open.append(first)
            for connection in connections { connection.wake() }
        }
    }

    private func finishIfSettled() {
        guard let done, isEnding || result.sent >= plan.count ?? .max, result.acknowledged >= result.sent
        else { return }
        self.done = nil
        result.seconds = Double(MonotonicClock.now() - begun) / 1e9
        for connection in connections { connection.stop() }
        connections = []
        done(result)
    }
}
