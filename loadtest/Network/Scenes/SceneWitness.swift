import EventLoop
import Wire

/// Sends the messages of scenes, and looks at what the server and the provider tell of them.
struct SceneWitness: Sendable {
    let server: ServerProcess
    let providers: ProviderProcess
    let tenant: LoadTenant
    let loop: EventLoop

    /// One message to some users; answers when it was posted, in milliseconds since 1970.
    ///
    /// - Parameter padding: bytes of payload, to fill a socket with.
    func post(_ message: String, to users: Range<Int>, padding: Int = 0) async throws(LoadtestFailure)
        -> Int64
    {
        let recipients = users.map { "\"\(LoadTenant.user($0))\"" }.joined(separator: ",")
        let text = String(repeating: "x", count: padding)
        let body =
            #"{"message_id":"\#(message)","conversation":{"id":"c-\#(message)","kind":"group"},"#
            + #""sender":{"user":"alice","name":"Alice"},"recipients":[\#(recipients)],"#
            + #""notification":{"title":"Alice","body":"Are you there?"},"payload":{"text":"\#(text)"}}"#
        let now = WallClock.now()
        _ = try await WebCall.json(
            .post, "/v1/messages", to: server.publicAddress, authorization: "Bearer \(tenant.apiKey)",
            body: Array(body.utf8), on: loop)
        return now
    }

    /// What `explain` says of a message and a user, all devices.
    func explain(_ message: String, of user: Int) async throws(LoadtestFailure) -> JSONNode {
        try await WebCall.json(
            .get, "/v1/messages/\(message)/trace?user=\(LoadTenant.user(user))", to: server.publicAddress,
            authorization: "Bearer \(tenant.apiKey)", on: loop)
    }

    /// Adds to the evidence what `explain` says of one device.
    func explain(_ message: String, of user: Int, device: String, into seen: inout SceneEvidence)
        async throws(LoadtestFailure)
    {
        let explanation = try await explain(message, of: user)
        guard
            let told = explanation["devices"]?.elements.first(where: { $0["device"]?.string == device })
        else { return }
        seen.take(explanation: told)
    }

    /// The same evidence as APPLIED over the gateway, and what an extension of the app uses.
    func apply(_ seq: Int64, of user: Int, device: String = LoadTenant.device) async throws {
        _ = try await WebCall.json(
            .post, "/v1/mailbox/applied", to: server.publicAddress,
            authorization: "Bearer \(try tenant.credential(of: user, device: device))",
            body: Array(#"{"mailbox_seq":\#(seq)}"#.utf8), on: loop)
    }

    /// Registers a user's device.
    func register(_ user: Int, device: String) async throws(LoadtestFailure) {
        _ = try await WebCall.json(
            .put, "/v1/users/\(LoadTenant.user(user))/devices/\(device)", to: server.publicAddress,
            authorization: "Bearer \(tenant.apiKey)",
            body: LoadTenant.registration(user, device: device), on: loop)
    }

    /// Every push the provider got so far, by token and message.
    func pushes() async throws(LoadtestFailure) -> [PushedMessage: [SeenPush]] {
        let list = try await WebCall.json(
            .get, "/pushes?limit=10000000", to: providers.control, on: loop)
        var found: [PushedMessage: [SeenPush]] = [:]
        for node in list.elements {
            let push = ReceivedPush(node)
            found[PushedMessage(token: push.token, message: push.messageID), default: []].append(
                SeenPush(at: push.receivedAt, apnsID: push.apnsID, status: push.status))
        }
        return found
    }
}
