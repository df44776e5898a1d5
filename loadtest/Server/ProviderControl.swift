import EventLoop
import Wire

/// Simulated providers, as their control endpoint shows and scripts them.
protocol ProviderControl: Sendable {
    var control: SocketAddress { get }
    /// Where they take pushes; nil if it is not known.
    var pushURL: String? { get }
    /// Carries the calls.
    var loop: EventLoop { get }
}

/// Simulated providers that somebody else started.
struct GivenProviders: ProviderControl {
    let control: SocketAddress
    let pushURL: String? = nil
    let loop: EventLoop
}

extension ProviderControl {
    /// Pushes received since the start or the last reset.
    func received() async throws(LoadtestFailure) -> Int {
        let statistics = try await WebCall.json(.get, "/stats", to: control, on: loop)
        return Int(statistics["received"]?.integer ?? 0)
    }

    /// What arrived after a sequence number, oldest first.
    func pushes(after sequence: Int) async throws(LoadtestFailure) -> [ReceivedPush] {
        let list = try await WebCall.json(
            .get, "/pushes?after=\(sequence)&limit=10000000", to: control, on: loop)
        return list.elements.map { ReceivedPush($0) }
    }

    /// From now on these tokens are answered so: a word or a status, as the simulator knows them.
    func script(_ tokens: [String], _ answer: String) async throws(LoadtestFailure) {
        let address = control
        let body = Array(#"{"answer":"\#(answer)"}"#.utf8)
        let answers = try await RequestBatch.run(tokens.count, to: address, on: loop) { index in
            HTTPRequestEncoder.bytes(
                .post, "/tokens/\(tokens[index])", host: address, bearer: "-", body: body)
        }
        if let bad = answers.first(where: { $0.status != 204 }) {
            throw LoadtestFailure("the simulated providers refuse a script: \(bad.status)")
        }
    }

    /// The body of the newest push, as it came.
    func newestPayload() async throws(LoadtestFailure) -> [UInt8] {
        let list = try await WebCall.json(.get, "/pushes?limit=1", to: control, on: loop)
        for push in list.elements { if let payload = push["payload"] { return Array(payload.rawBytes) } }
        throw LoadtestFailure("no push has arrived")
    }
}

/// A push as the simulated providers list it.
struct ReceivedPush: Equatable, Sendable {
    let sequence: Int
    let token: String
    let apnsID: String
    /// `alert`, `cover`, `badge`, `wake`
    let kind: String
    let messageID: String
    let mailboxSeq: Int64
    let badge: Int64?
    let status: Int
    /// Milliseconds since 1970.
    let receivedAt: Int64

    init(
        sequence: Int, token: String, apnsID: String, kind: String = "alert", messageID: String,
        mailboxSeq: Int64, badge: Int64?, status: Int = 200, receivedAt: Int64 = 0
    ) {
        self.sequence = sequence
        self.token = token
        self.apnsID = apnsID
        self.kind = kind
        self.messageID = messageID
        self.mailboxSeq = mailboxSeq
        self.badge = badge
        self.status = status
        self.receivedAt = receivedAt
    }

    init(_ node: JSONNode) {
        let rouse = node["payload"]?["rouse"]
        let data = node["payload"]?["message"]?["data"]
        func text(_ key: String) -> String? { rouse?[key]?.string ?? data?["rouse_\(key)"]?.string }
        self.init(
            sequence: Int(node["sequence"]?.integer ?? 0), token: node["token"]?.string ?? "",
            apnsID: node["apns_id"]?.string ?? "", kind: text("kind") ?? "",
            messageID: text("message_id") ?? "",
            mailboxSeq: rouse?["mailbox_seq"]?.integer ?? text("mailbox_seq").flatMap { Int64($0) } ?? 0,
            badge: node["badge"]?.integer, status: Int(node["status"]?.integer ?? 0),
            receivedAt: node["received_at"]?.string
                .flatMap { Timestamp.milliseconds(parsing: $0) } ?? 0)
    }
}
