import Domain
import Engine
import Gateway
import Wire

/// `/v1/messages`: what backends send, and what became of it.
struct MessagesResource: Sendable {
    let engine: Engine

    var routes: [Route] {
        [
            Route(
                .post, "/v1/messages", "Send a message, or up to 1,000 as lines.", body: .messages,
                [Route.Outcome(202, "Accepted"), Route.Outcome(200, "AcceptedLines")],
                .backend { call, tenant, answer throws(Problem) in try send(call, tenant, answer) }),
            Route(
                .post, "/v1/messages/{message_id}/recall", "The sender takes a message back.",
                [Route.Outcome(202, "Recalled")],
                .backend { call, tenant, answer throws(Problem) in try recall(call, tenant, answer) }),
            Route(
                .get, "/v1/messages/{message_id}/trace", "What became of a message for a user.",
                query: ["user", "device"], [Route.Outcome(200, "Explanation")],
                .backend { call, tenant, answer throws(Problem) in try trace(call, tenant, answer) }),
        ]
    }

    private func send(_ call: Call, _ tenant: Tenant, _ answer: Answer) throws(Problem) {
        if call.mediaType == .lines { return try sendLines(call, tenant, answer) }
        let message = try MessageReader.message(parsing: call.request.body)
        engine.ingest(tenant: tenant.key, [message]) { results in
            switch results[0] {
            case .accepted(let isDuplicate, let recipients, let tasks):
                answer.json(202) { writer in
                    writer.beginObject()
                    writer.member("message_id", message.id.text)
                    writer.accepted(isDuplicate, recipients, tasks)
                    writer.endObject()
                }
            case .refused(let refusal): answer.problem(Problem(refusal))
            case .blocked: answer.problem(LineAnswer.blocked)
            }
        }
    }

    private func sendLines(_ call: Call, _ tenant: Tenant, _ answer: Answer) throws(Problem) {
        let lines = try MessageLines(parsing: call.request.body)
        let messages = lines.messages
        guard !messages.isEmpty else { return answer.lines(LineAnswer.write(lines, [])) }
        engine.ingest(tenant: tenant.key, messages) { results in
            answer.lines(LineAnswer.write(lines, results))
        }
    }

    private func recall(_ call: Call, _ tenant: Tenant, _ answer: Answer) throws(Problem) {
        let message: MessageID = try call.identifier(0, "message_id")
        let engine = engine
        Task {
            let result = await engine.recall(MessageName(tenant: tenant.key, message: message))
            answer.result(result) { isKnown in
                answer.json(202) { writer in
                    writer.beginObject()
                    writer.member("message_id", message.text)
                    writer.member("recalled", isKnown)
                    writer.endObject()
                }
            }
        }
    }

    private func trace(_ call: Call, _ tenant: Tenant, _ answer: Answer) throws(Problem) {
        let message: MessageID = try call.identifier(0, "message_id")
        guard let user: UserID = try call.identifier(query: "user", "?user") else { throw .missing("?user") }
        let device: DeviceID? = try call.identifier(query: "device", "?device")
        let engine = engine
        Task {
            let result = await engine.explain(
                UserName(tenant: tenant.key, user: user), message, device: device)
            answer.result(result) { explanation in answer.json { $0.explanation(explanation) } }
        }
    }
}

/// The answer to lines: one each, in order.
enum LineAnswer {
    static let blocked = Problem(.blocked, "Repeat it after the earlier one.")

    static func write(_ lines: MessageLines, _ results: [IngestResult]) -> [UInt8] {
        var writer = JSONWriter(capacity: lines.lines.count * 80)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(lines.lines.count * 80)
        var results = results.makeIterator()
        for line in lines.lines {
            writer.reset()
            switch line {
            case .problem(let problem, let id): write(problem, id, to: &writer)
            case .message(let message):
                if let result = results.next() { write(result, message.id.text, to: &writer) }
            }
            bytes += writer.bytes
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    private static func write(_ result: IngestResult, _ id: String, to writer: inout JSONWriter) {
        switch result {
        case .accepted(let isDuplicate, let recipients, let tasks):
            writer.beginObject()
            writer.member("message_id", id)
            writer.member("status", 202)
            writer.accepted(isDuplicate, recipients, tasks)
            writer.endObject()
        case .refused(let refusal): write(Problem(refusal), id, to: &writer)
        case .blocked: write(blocked, id, to: &writer)
        }
    }

    private static func write(_ problem: Problem, _ id: String?, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("message_id")
        if let id { writer.string(id) } else { writer.null() }
        writer.member("status", problem.code.status)
        writer.member("code", problem.code.rawValue)
        writer.member("detail", problem.detail)
        writer.member("retryable", problem.code.isRetryable)
        writer.endObject()
    }
}

extension ProblemCode {
    /// Whether the same call may succeed later.
    var isRetryable: Bool { retryAfterSeconds != nil || self == .blocked || self == .internalError }
}

extension JSONWriter {
    fileprivate mutating func accepted(_ isDuplicate: Bool, _ recipients: Int, _ tasks: Int) {
        member("duplicate", isDuplicate)
        member("recipients", recipients)
        member("tasks", tasks)
    }
}

extension Answer {
    fileprivate func lines(_ bytes: [UInt8]) { self.bytes(bytes, contentType: "application/x-ndjson") }
}
