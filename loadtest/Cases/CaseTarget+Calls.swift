import EventLoop
import Wire

/// Calls of a case, many at once: each is repeated until it has a final answer.
extension CaseTarget {
    var backend: Backend { Backend(tenant: tenant, address: server.publicAddress) }

    /// Whether FCM's devices can be had: the providers of a run do as both.
    var transports: [LoadTenant.Transport] { processes == nil ? [.apns] : [.apns, .fcm] }

    /// The same server with another tenant of its own; its users must have numbers of their own.
    func other(_ name: String, policy: [String: Int], flags: [String: Bool] = [:]) async throws -> CaseTarget
    {
        let pushURL = processes?.providers.url
        let suffix = tenant.name == "load" ? "" : "-\(tenant.name)"
        let other = try await LoadTenant.create(
            name + suffix, on: server, fcm: pushURL, policy: policy, flags: flags, loop)
        return CaseTarget(
            server: server, providers: providers, processes: processes, tenant: other, loop: loop)
    }

    /// The answers to requests that must all succeed, in no order of execution.
    @discardableResult
    func call(_ requests: [[UInt8]]) async throws(LoadtestFailure) -> [JSONNode?] {
        let answers = try await RequestBatch.run(requests.count, to: server.publicAddress, on: loop) {
            requests[$0]
        }
        if let index = answers.firstIndex(where: { !(200..<300).contains($0.status) }) {
            let line = String(decoding: requests[index].prefix { $0 != 0x0d }, as: UTF8.self)
            let text = String(decoding: answers[index].body.prefix(300), as: UTF8.self)
            throw LoadtestFailure("\(line) is answered \(answers[index].status): \(text)")
        }
        return answers.map(\.json)
    }

    /// Sends messages, each in a request of its own; the tasks that each made.
    func send(_ messages: [MessageDraft]) async throws(LoadtestFailure) -> [Int] {
        try await call(messages.map(backend.message)).map { Int($0?["tasks"]?.integer ?? -1) }
    }

    func register(_ devices: [LoadDevice]) async throws(LoadtestFailure) {
        try await call(devices.map(backend.register))
    }

    func badges(of users: [Int]) async throws(LoadtestFailure) -> [ShownBadge] {
        try await call(users.map(backend.badge)).map {
            $0.flatMap { ShownBadge($0) } ?? ShownBadge(unread: -1, projectionSeq: -1)
        }
    }

    /// What the conversations call says, by user, for those with up to 200.
    func conversations(of users: [Int]) async throws(LoadtestFailure) -> [[String: ShownConversation]] {
        try await call(users.map(backend.conversations)).map { answer in
            let found = answer?["conversations"]?.elements.compactMap { ShownConversation($0) } ?? []
            return Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        }
    }

    /// What the admin's explanation says of each (message, user) for one device.
    func explanations(of messages: [(number: Int, user: Int)], device: String)
        async throws(LoadtestFailure) -> [ShownOutcome?]
    {
        let (name, address, token) = (tenant.name, server.adminAddress, server.adminToken)
        return try await RequestBatch.json(messages.count, to: address, on: loop) { index in
            let message = messages[index]
            return HTTPRequestEncoder.bytes(
                .get,
                "/admin/explain?tenant=\(name)&message_id=\(RequestTemplate.messageID(message.number))"
                    + "&user=\(LoadTenant.user(message.user))&device=\(device)", host: address, bearer: token)
        }.map { answer in
            let devices = answer["devices"]?.elements.map { ShownOutcome($0) }
            return devices?.first
        }
    }

    /// Open tasks by state, as `/admin/status` says.
    func depths() async throws(LoadtestFailure) -> [String: Int] {
        let status = try await WebCall.json(
            .get, "/admin/status", to: server.adminAddress, authorization: "Bearer \(server.adminToken)",
            on: loop)
        let members = status["tasks"]?.members.map { ($0.key, Int($0.value.integer ?? 0)) } ?? []
        return Dictionary(members, uniquingKeysWith: { $1 })
    }
}

/// One conversation of one user, as the conversations call shows it.
struct ShownConversation: Equatable, Sendable {
    let id: String
    let unread: Int64
    let mentions: Int64
    let isMuted: Bool
    let readSeq: Int64
    let lastSeq: Int64

    init?(_ node: JSONNode) {
        guard let id = node["conversation_id"]?.string, let unread = node["unread"]?.integer,
            let mentions = node["mentions"]?.integer, let isMuted = node["muted"]?.bool,
            let readSeq = node["read_mailbox_seq"]?.integer, let lastSeq = node["last_mailbox_seq"]?.integer
        else { return nil }
        self.id = id
        self.unread = unread
        self.mentions = mentions
        self.isMuted = isMuted
        self.readSeq = readSeq
        self.lastSeq = lastSeq
    }

    init(
        _ id: String, unread: Int64, mentions: Int64 = 0, isMuted: Bool = false, readSeq: Int64 = 0,
        lastSeq: Int64 = 0
    ) {
        self.id = id
        self.unread = unread
        self.mentions = mentions
        self.isMuted = isMuted
        self.readSeq = readSeq
        self.lastSeq = lastSeq
    }
}

/// How a message ended for a device, by the explanation.
struct ShownOutcome: Equatable, Sendable {
    let state: String
    let reason: String
    /// The words of the trace's steps, in their order.
    let steps: [String]

    init(state: String, reason: String, steps: [String] = []) {
        self.state = state
        self.reason = reason
        self.steps = steps
    }

    init(_ node: JSONNode) {
        state = node["state"]?.string ?? ""
        reason = node["reason"]?.string ?? ""
        steps = node["trace"]?.elements.map { $0["step"]?.string ?? "" } ?? []
    }
}
