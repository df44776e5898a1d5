import EventLoop
import Wire

/// So many requests over a few keep-alive connections, each repeated until it has a final answer.
/// For setting up and for looking at many users; not for load. Belongs to its loop.
final class RequestBatch: Workload {
    struct Answer: Sendable {
        let status: Int
        let body: [UInt8]

        /// The JSON of the body; nil if it is none.
        var json: JSONNode? { (try? JSONDocument(parsing: body))?.root }
    }

    static let connectionCount = 16

    private let request: (Int) throws -> [UInt8]
    private var toDo: [Int]
    private var answers: [Answer?]
    private var left: Int
    private var underWay: [Int: Int] = [:]
    private var connections: [LoadConnection] = []
    private var done: ((Result<[Answer], LoadtestFailure>) -> Void)?

    private init(
        _ count: Int, _ request: @escaping (Int) throws -> [UInt8],
        done: @escaping (Result<[Answer], LoadtestFailure>) -> Void
    ) {
        self.request = request
        self.done = done
        toDo = Array((0..<count).reversed())
        answers = Array(repeating: nil, count: count)
        left = count
    }

    /// The answers in the order of the requests, whatever their status. 429 and 503 are no answers.
    static func run(
        _ count: Int, to address: SocketAddress, on loop: EventLoop,
        request: @escaping @Sendable (Int) throws -> [UInt8]
    ) async throws(LoadtestFailure) -> [Answer] {
        guard count > 0 else { return [] }
        let result: Result<[Answer], LoadtestFailure> = await withCheckedContinuation { continuation in
            loop.post {
                let batch = RequestBatch(count, request) { continuation.resume(returning: $0) }
                batch.connections = (0..<connectionCount).map {
                    LoadConnection($0, to: address, on: loop, workload: batch)
                }
                for connection in batch.connections { connection.start() }
            }
        }
        return try result.get()
    }

    /// As `run`, each answer being the JSON of a success.
    static func json(
        _ count: Int, to address: SocketAddress, on loop: EventLoop,
        request: @escaping @Sendable (Int) throws -> [UInt8]
    ) async throws(LoadtestFailure) -> [JSONNode] {
        let answers = try await run(count, to: address, on: loop, request: request)
        var nodes: [JSONNode] = []
        for (index, answer) in answers.enumerated() {
            guard (200..<300).contains(answer.status), let json = answer.json else {
                let text = String(decoding: answer.body.prefix(300), as: UTF8.self)
                throw LoadtestFailure("request \(index + 1) is answered \(answer.status): \(text)")
            }
            nodes.append(json)
        }
        return nodes
    }

    func nextRequest(_ connection: LoadConnection) -> [UInt8]? {
        guard let index = toDo.popLast() else { return nil }
        do {
            let bytes = try request(index)
            underWay[connection.number] = index
            return bytes
        } catch {
            finish(.failure(LoadtestFailure("request \(index + 1) cannot be made: \(error)")))
            return nil
        }
    }

    func answered(_ connection: LoadConnection, _ answer: AnswerScanner.Answer) {
        guard let index = underWay.removeValue(forKey: connection.number) else { return }
        guard answer.status != 429, answer.status != 503 else { return toDo.append(index) }
        answers[index] = Answer(status: answer.status, body: Array(answer.body))
        left -= 1
        if left == 0 { finish(.success(answers.compactMap(\.self))) }
    }

    func lost(_ connection: LoadConnection) {
        if let index = underWay.removeValue(forKey: connection.number) { toDo.append(index) }
    }

    private func finish(_ result: Result<[Answer], LoadtestFailure>) {
        guard let done else { return }
        self.done = nil
        for connection in connections { connection.stop() }
        done(result)
    }
}

extension HTTPRequestEncoder {
    /// A request with a bearer credential, of a keep-alive connection.
    static func bytes(
        _ method: HTTPMethod, _ target: String, host: SocketAddress, bearer: String, body: [UInt8] = []
    ) -> [UInt8] {
        var headers: HTTPHeaders = ["Authorization": "Bearer \(bearer)"]
        if !body.isEmpty { headers.add("Content-Type", "application/json") }
        var request: [UInt8] = []
        encode(method: method, target: target, host: "\(host)", headers: headers, body: body, into: &request)
        return request
    }
}
