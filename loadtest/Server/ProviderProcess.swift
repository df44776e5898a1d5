import EventLoop
import Glibc
import Wire

/// The simulated providers as a child of the run.
struct ProviderProcess: Sendable {
    let child: Child
    /// `https://127.0.0.1:PORT`
    let url: String
    let control: SocketAddress
    /// A file with the certificate authority to trust.
    let authorityFile: String
    private let loop: EventLoop

    /// - Parameter keep: how many pushes are kept for `pushes`.
    static func start(in directory: String, keep: Int, strict: Bool, on loop: EventLoop)
        async throws(LoadtestFailure) -> ProviderProcess
    {
        let ready = "\(directory)/provider.json"
        let child = try Child(
            "the providers",
            [
                "/proc/self/exe", "provider", "--ready", ready, "--keep", "\(keep)", "--strict",
                strict ? "1" : "0",
            ],
            output: "\(directory)/provider.log")
        for _ in 0..<1_000 {
            if let bytes = LocalFiles.read(ready), let root = (try? JSONDocument(parsing: bytes))?.root,
                let url = root["url"]?.string, let authority = root["ca"]?.string,
                let control = root["control"]?.string.flatMap({ SocketAddress(parsing: $0) })
            {
                let file = "\(directory)/provider-ca.pem"
                try LocalFiles.write(Array(authority.utf8), to: file)
                return ProviderProcess(
                    child: child, url: url, control: control, authorityFile: file, loop: loop)
            }
            if child.ending != nil { break }
            try? await Task.sleep(for: .milliseconds(10))
        }
        throw LoadtestFailure("the simulated providers do not start")
    }

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
    let messageID: String
    let mailboxSeq: Int64
    let badge: Int64?
    let status: Int

    init(
        sequence: Int, token: String, apnsID: String, messageID: String, mailboxSeq: Int64, badge: Int64?,
        status: Int = 200
    ) {
        self.sequence = sequence
        self.token = token
        self.apnsID = apnsID
        self.messageID = messageID
        self.mailboxSeq = mailboxSeq
        self.badge = badge
        self.status = status
    }

    init(_ node: JSONNode) {
        let rouse = node["payload"]?["rouse"]
        self.init(
            sequence: Int(node["sequence"]?.integer ?? 0), token: node["token"]?.string ?? "",
            apnsID: node["apns_id"]?.string ?? "", messageID: rouse?["message_id"]?.string ?? "",
            mailboxSeq: rouse?["mailbox_seq"]?.integer ?? 0, badge: node["badge"]?.integer,
            status: Int(node["status"]?.integer ?? 0))
    }
}
