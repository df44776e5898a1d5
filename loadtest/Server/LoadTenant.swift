import EventLoop
import Wire

/// The tenant of a run: its keys, made over the admin
/// interface, and the names of its users and their devices.
///
/// Unless told otherwise nothing holds a message back: no merge window, and limits that are never reached.
struct LoadTenant: Sendable {
    static let topic = "com.example.app"
    static let device = "tablet"
    /// The other device of a user that has two.
    static let phone = "phone"
    static let bothDevices = [device, phone]
    /// A third one.
    static let laptop = "laptop"
    private static let keyID = "load"
    private static let noLimit = 1_000_000

    /// What holds nothing back.
    static let openPolicy: [String: Int] = [
        "push_merge_window_ms": 0, "push_rate_per_user_per_min": noLimit,
        "push_rate_per_conversation_per_min": noLimit,
    ]

    let name: String
    let apiKey: String
    private let secret: [UInt8]

    /// - Parameters:
    ///   - name: another for each run against a server that stays.
    ///   - pushURL: of simulated providers that shall take FCM's pushes, too.
    ///   - policy: what differs from the open one; durations and numbers by their names.
    ///   - flags: policies that are true or false.
    static func create(
        _ name: String = "load", on server: any ServerAccess, fcm pushURL: String? = nil,
        policy: [String: Int] = [:], flags: [String: Bool] = [:], _ loop: EventLoop
    ) async throws -> LoadTenant {
        let secret = SecureRandom.bytes(count: 32)
        try await post(.post, "/admin/tenants", to: server, loop) { writer in
            writer.member("tenant", name)
            writePolicy(openPolicy.merging(policy) { $1 }, flags, to: &writer)
        }
        try await post(.put, "/admin/tenants/\(name)/client_keys", to: server, loop) { writer in
            let key = #"[{"kid":"\#(keyID)","alg":"HS256","secret":"\#(Base64URL.encode(secret))"}]"#
            writer.member("keys", raw: Array(key.utf8))
        }
        let key = try ECDSAP256.PrivateKey.generate()
        try await post(.put, "/admin/tenants/\(name)/providers/apns", to: server, loop) { writer in
            writer.member("team_id", "TEAM123456")
            writer.member("key_id", "KEY1234567")
            writer.member("private_key", key.pem)
            writer.member("topics", raw: Array(#"["\#(topic)"]"#.utf8))
        }
        let made = try await post(.post, "/admin/tenants/\(name)/api_keys", to: server, loop) { writer in
            writer.member("name", "loadtest")
        }
        guard let apiKey = made["key"]?.string else { throw LoadtestFailure("the API key is not shown") }
        if let pushURL { try await giveFCMCredential(name, pushURL, server, loop) }
        return LoadTenant(name: name, apiKey: apiKey, secret: secret)
    }

    private static func writePolicy(
        _ policy: [String: Int], _ flags: [String: Bool], to writer: inout JSONWriter
    ) {
        writer.key("policy")
        writer.beginObject()
        for (name, value) in policy.sorted(by: { $0.key < $1.key }) {
            writer.key(escaping: name)
            writer.integer(value)
        }
        for (name, value) in flags.sorted(by: { $0.key < $1.key }) {
            writer.key(escaping: name)
            writer.bool(value)
        }
        writer.endObject()
    }

    /// Changes the policy of a tenant that lives.
    func change(policy: [String: Int], on server: any ServerAccess, _ loop: EventLoop)
        async throws(LoadtestFailure)
    {
        try await Self.post(.patch, "/admin/tenants/\(name)", to: server, loop) { writer in
            Self.writePolicy(policy, [:], to: &writer)
        }
    }

    private static func giveFCMCredential(
        _ name: String, _ pushURL: String, _ server: any ServerAccess, _ loop: EventLoop
    ) async throws {
        let key = try RSASHA256.PrivateKey.generate()
        try await post(.put, "/admin/tenants/\(name)/providers/fcm", to: server, loop) { writer in
            writer.key("service_account")
            writer.beginObject()
            writer.member("type", "service_account")
            writer.member("project_id", "load")
            writer.member("private_key_id", Hex.encode(SecureRandom.bytes(count: 20)))
            writer.member("private_key", key.pem)
            writer.member("client_email", "load@load.iam.gserviceaccount.com")
            writer.member("token_uri", "\(pushURL)/token")
            writer.endObject()
        }
    }

    @discardableResult
    private static func post(
        _ method: HTTPMethod, _ target: String, to server: any ServerAccess, _ loop: EventLoop,
        _ write: (inout JSONWriter) -> Void
    ) async throws(LoadtestFailure) -> JSONNode {
        var writer = JSONWriter()
        writer.beginObject()
        write(&writer)
        writer.endObject()
        return try await WebCall.json(
            method, target, to: server.adminAddress, authorization: "Bearer \(server.adminToken)",
            body: writer.bytes, on: loop)
    }

    // MARK: Names

    static func user(_ number: Int) -> String { "u-" + Digits.text(number, width: Digits.userWidth) }

    /// 64 hexadecimal digits, another for each user and device.
    static func token(_ number: Int, device: String = device) -> String {
        let pair = device == phone ? "cd" : device == laptop ? "ef" : "ab"
        return String(repeating: pair, count: 28) + Digits.text(number, width: 8)
    }

    /// The token by which a device's calls ring.
    static func voipToken(_ number: Int, device: String = device) -> String {
        "cc" + token(number, device: device).dropFirst(2)
    }

    static func fcmToken(_ number: Int, device: String = device) -> String {
        "fcm-\(device)-" + Digits.text(number, width: 100)
    }

    /// The credential of a user's device, issued now.
    func credential(of number: Int, device: String = device) throws(CryptoError) -> String {
        let now = WallClock.now() / 1_000
        var claims = JSONWriter()
        claims.beginObject()
        claims.member("iss", name)
        claims.member("sub", Self.user(number))
        claims.member("did", device)
        claims.member("iat", now - 5)
        claims.member("exp", now + 86_400)
        claims.endObject()
        return try JWT.sign(claims: claims.bytes, keyID: Self.keyID, with: .hs256(HMACSHA256(key: secret)))
    }

    /// How a device is woken.
    enum Transport: Sendable {
        case apns, fcm
        /// Alerts by APNs, and a token of its own for calls.
        case apnsWithCalls
    }

    /// The body that registers a user's device.
    static func registration(
        _ number: Int, device: String = device, _ transport: Transport = .apns, timeZone: String? = nil
    ) -> [UInt8] {
        let token =
            switch transport {
            case .apns: apnsToken("apns", token(number, device: device))
            case .apnsWithCalls:
                apnsToken("apns", token(number, device: device)) + ","
                    + apnsToken("apns_voip", voipToken(number, device: device))
            case .fcm: #"{"transport":"fcm","token":"\#(fcmToken(number, device: device))"}"#
            }
        let zone = timeZone.map { #","time_zone":"\#($0)""# } ?? ""
        return Array(#"{"tokens":[\#(token)],"locale":"en"\#(zone),"app_version":"1.0"}"#.utf8)
    }
}

extension LoadTenant {
    private static func apnsToken(_ transport: String, _ token: String) -> String {
        #"{"transport":"\#(transport)","token":"\#(token)","topic":"\#(topic)","environment":"production"}"#
    }
}

/// Numbers of fixed width: a request is made by writing digits into a copy.
enum Digits {
    static let userWidth = 6
    static let messageWidth = 10
    /// Nanoseconds since the machine started.
    static let timeWidth = 20

    static func text(_ number: Int, width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    static func write(_ number: Int, width: Int, at offset: Int, into bytes: inout [UInt8]) {
        var rest = number
        for place in stride(from: offset + width - 1, through: offset, by: -1) {
            bytes[place] = 0x30 + UInt8(rest % 10)
            rest /= 10
        }
    }
}
