import EventLoop
import Wire

/// What a run's backend tells and asks the server, and what devices do by HTTP: one request each.
struct Backend: Sendable {
    let tenant: LoadTenant
    let address: SocketAddress

    // MARK: The backend's own

    func message(_ message: MessageDraft) -> [UInt8] { post("/v1/messages", message.body) }

    /// Several as lines of one request; they are decided in their order.
    func messages(_ messages: [MessageDraft]) -> [UInt8] {
        var request: [UInt8] = []
        HTTPRequestEncoder.encode(
            method: .post, target: "/v1/messages", host: "\(address)",
            headers: [
                "Authorization": "Bearer \(tenant.apiKey)", "Content-Type": "application/x-ndjson",
            ], body: messages.flatMap { $0.body + [0x0a] }, into: &request)
        return request
    }

    func recall(_ message: Int) -> [UInt8] {
        post("/v1/messages/\(RequestTemplate.messageID(message))/recall", [])
    }

    /// - Parameter device: the reader, if the backend names it.
    func read(_ user: Int, _ conversation: String, through seq: Int64, by device: String? = nil) -> [UInt8] {
        post("\(path(user))/reads", Self.readBody(conversation, seq, device))
    }

    func read(_ user: Int, _ conversation: String, message: Int) -> [UInt8] {
        let id = RequestTemplate.messageID(message)
        return post(
            "\(path(user))/reads",
            Array(#"{"conversation_id":"\#(conversation)","message_id":"\#(id)"}"#.utf8))
    }

    func readAll(_ user: Int, by device: String? = nil) -> [UInt8] {
        let reader = device.map { #","device":"\#($0)""# } ?? ""
        return post("\(path(user))/reads", Array(#"{"all":true\#(reader)}"#.utf8))
    }

    /// - Parameter until: milliseconds since 1970.
    func mute(_ user: Int, _ conversation: String, until: Int64? = nil) -> [UInt8] {
        let end = until.map { #","muted_until":"\#(Timestamp.text(millisecondsSince1970: $0))""# } ?? ""
        return put("\(path(user))/conversations/\(conversation)/settings", #"{"muted":true\#(end)}"#)
    }

    func unmute(_ user: Int, _ conversation: String) -> [UInt8] {
        put("\(path(user))/conversations/\(conversation)/settings", #"{"muted":false}"#)
    }

    /// - Parameters:
    ///   - hours: minutes of the day; nil clears them.
    ///   - zone: nil: the user has none.
    func quiet(_ user: Int, _ hours: (start: Int, end: Int)?, zone: String?) -> [UInt8] {
        func text(_ minute: Int) -> String {
            Digits.text(minute / 60, width: 2) + ":" + Digits.text(minute % 60, width: 2)
        }
        let window = hours.map { #"{"start":"\#(text($0.start))","end":"\#(text($0.end))"}"# } ?? "null"
        let zone = zone.map { "\"\($0)\"" } ?? "null"
        return put("\(path(user))/settings", #"{"quiet_hours":\#(window),"time_zone":\#(zone)}"#)
    }

    func leave(_ user: Int, _ conversation: String) -> [UInt8] {
        request(.delete, "\(path(user))/conversations/\(conversation)")
    }

    func call(_ id: String, to users: [Int], seconds: Int = 30) -> [UInt8] {
        let callees = users.map { #""\#(LoadTenant.user($0))""# }.joined(separator: ",")
        return post(
            "/v1/calls",
            Array(
                (#"{"call_id":"\#(id)","caller":{"user":"alice","name":"Alice"},"callees":[\#(callees)],"#
                    + #""video":true,"ttl_s":\#(seconds)}"#).utf8))
    }

    func cancelCall(_ id: String) -> [UInt8] {
        post("/v1/calls/\(id)/cancel", Array(#"{"reason":"caller_left"}"#.utf8))
    }

    func badge(_ user: Int) -> [UInt8] { request(.get, "\(path(user))/badge") }

    func conversations(_ user: Int) -> [UInt8] { request(.get, "\(path(user))/conversations?limit=200") }

    /// Registers for a device.
    func register(_ device: LoadDevice) -> [UInt8] {
        request(
            .put, "\(path(device.user))/devices/\(device.name)",
            LoadTenant.registration(
                device.user, device: device.name, device.transport, timeZone: device.timeZone))
    }

    // MARK: A device's own

    func read(as device: LoadDevice, _ conversation: String, through seq: Int64) throws(CryptoError)
        -> [UInt8]
    {
        try request(.post, "/v1/reads", as: device, Self.readBody(conversation, seq, nil))
    }

    func readAll(as device: LoadDevice) throws(CryptoError) -> [UInt8] {
        try request(.post, "/v1/reads", as: device, Array(#"{"all":true}"#.utf8))
    }

    func badge(as device: LoadDevice) throws(CryptoError) -> [UInt8] {
        try request(.get, "/v1/badge", as: device)
    }

    /// A page whose badge alone is of interest.
    func mailboxPage(as device: LoadDevice) throws(CryptoError) -> [UInt8] {
        try request(.get, "/v1/mailbox?after=0&limit=1", as: device)
    }

    // MARK: Writing

    private static func readBody(_ conversation: String, _ seq: Int64, _ device: String?) -> [UInt8] {
        let reader = device.map { #","device":"\#($0)""# } ?? ""
        return Array(#"{"conversation_id":"\#(conversation)","mailbox_seq":\#(seq)\#(reader)}"#.utf8)
    }

    private func path(_ user: Int) -> String { "/v1/users/\(LoadTenant.user(user))" }

    private func post(_ target: String, _ body: [UInt8]) -> [UInt8] { request(.post, target, body) }

    private func put(_ target: String, _ body: String) -> [UInt8] {
        request(.put, target, Array(body.utf8))
    }

    private func request(_ method: HTTPMethod, _ target: String, _ body: [UInt8] = []) -> [UInt8] {
        HTTPRequestEncoder.bytes(method, target, host: address, bearer: tenant.apiKey, body: body)
    }

    private func request(
        _ method: HTTPMethod, _ target: String, as device: LoadDevice, _ body: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        HTTPRequestEncoder.bytes(
            method, target, host: address,
            bearer: try tenant.credential(of: device.user, device: device.name), body: body)
    }
}

/// A device of a run: whose, its name, and how it is woken.
struct LoadDevice: Hashable, Sendable {
    let user: Int
    var name = LoadTenant.device
    var transport = LoadTenant.Transport.apns
    /// That it reports, if it does.
    var timeZone: String?

    /// For calls.
    var voipToken: String { LoadTenant.voipToken(user, device: name) }

    var token: String {
        switch transport {
        case .apns, .apnsWithCalls: LoadTenant.token(user, device: name)
        case .fcm: LoadTenant.fcmToken(user, device: name)
        }
    }
}

extension LoadDevice: CustomStringConvertible {
    var description: String { "the \(name) of \(LoadTenant.user(user))" }
}
