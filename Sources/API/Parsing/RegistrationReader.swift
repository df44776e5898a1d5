package import Domain
package import Engine
import Wire

/// The body of `PUT /v1/device`, tokens still in clear.
package struct RegistrationBody: Sendable {
    static let maximumTokens = 8
    static let maximumAccounts = 64
    static let maximumTokenBytes = 4_096

    package var tokens: [PlainToken] = []
    package var accounts: Set<UserID> = []
    package var locale: String?
    package var timeZone: String?
    package var appVersion: String?

    package init(parsing body: [UInt8]) throws(Problem) {
        for (key, value) in try JSONDocument.object(parsing: body).members {
            switch key {
            case "tokens": if let value = value.present { tokens = try Self.tokens(value) }
            case "accounts": if let value = value.present { accounts = try Self.accounts(value) }
            case "locale": locale = try value.present?.word("locale", upTo: 64)
            case "time_zone": timeZone = try value.present?.word("time_zone", upTo: 64)
            case "app_version": appVersion = try value.present?.word("app_version", upTo: 64)
            default: throw .unknownField(key)
            }
        }
    }

    /// Seals the tokens; nothing in clear outlives the call.
    package func sealed(by sealing: any TokenSealing, tenant: TenantKey) -> Registration {
        Registration(
            tokens: tokens.map { sealing.seal($0, tenant: tenant) }, accounts: accounts, locale: locale,
            timeZone: timeZone, appVersion: appVersion)
    }

    private static func tokens(_ node: JSONNode) throws(Problem) -> [PlainToken] {
        var tokens: [PlainToken] = []
        for element in try node.list("tokens") {
            let token = try TokenDraft(element).finish()
            guard !tokens.contains(where: { $0.transport == token.transport }) else {
                throw .invalid("tokens[].transport", "may be named once")
            }
            guard tokens.count < maximumTokens else {
                throw .invalid("tokens", "has more than \(maximumTokens)")
            }
            tokens.append(token)
        }
        return tokens
    }

    private static func accounts(_ node: JSONNode) throws(Problem) -> Set<UserID> {
        var accounts: Set<UserID> = []
        for element in try node.list("accounts") {
            accounts.insert(try element.identifier("accounts[]"))
            guard accounts.count <= maximumAccounts else {
                throw .invalid("accounts", "has more than \(maximumAccounts)")
            }
        }
        return accounts
    }
}

extension JSONNode {
    /// Short text of printable ASCII: a locale, a zone, a version.
    func word(_ path: StaticString, upTo limit: Int) throws(Problem) -> String {
        let text = try text(path, upTo: limit)
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw .invalid(path, "must be printable ASCII without spaces")
        }
        return text
    }
}

/// One element of `tokens`.
private struct TokenDraft {
    private var transport: String?
    private var token: String?
    private var topic: String?
    private var environment: Environment?
    private var endpoint: String?
    private var p256dh: [UInt8]?
    private var auth: [UInt8]?

    init(_ node: JSONNode) throws(Problem) {
        for (key, value) in try node.object("tokens[]").members {
            guard let value = value.present else { continue }
            switch key {
            case "transport": transport = try value.text("tokens[].transport", upTo: 16)
            case "token":
                token = try value.text("tokens[].token", upTo: RegistrationBody.maximumTokenBytes)
            case "topic": topic = try value.word("tokens[].topic", upTo: 255)
            case "environment": environment = try Self.environment(value)
            case "endpoint":
                endpoint = try value.word("tokens[].endpoint", upTo: RegistrationBody.maximumTokenBytes)
            case "p256dh": p256dh = try Self.bytes(value, "tokens[].p256dh", count: 65)
            case "auth": auth = try Self.bytes(value, "tokens[].auth", count: 16)
            default: throw .unknownField("tokens[].\(key)")
            }
        }
    }

    func finish() throws(Problem) -> PlainToken {
        switch transport {
        case "apns": return .apns(hex: try hexToken(), topic: try requiredTopic(), try requiredEnvironment())
        case "apns_voip":
            return .apnsVoIP(hex: try hexToken(), topic: try requiredTopic(), try requiredEnvironment())
        case "fcm": return .fcm(try fcmToken())
        case "webpush": return try webPush()
        case nil: throw .missing("tokens[].transport")
        default:
            throw .invalid("tokens[].transport", "must be \"apns\", \"apns_voip\", \"fcm\" or \"webpush\"")
        }
    }

    private func requiredTopic() throws(Problem) -> String {
        guard let topic else { throw .missing("tokens[].topic") }
        return topic
    }

    private func requiredEnvironment() throws(Problem) -> Environment {
        guard let environment else { throw .missing("tokens[].environment") }
        return environment
    }

    /// Lower case, so that one token has one spelling.
    private func hexToken() throws(Problem) -> String {
        guard let token else { throw .missing("tokens[].token") }
        try refuse("endpoint", endpoint == nil && p256dh == nil && auth == nil)
        guard token.utf8.count >= 16, token.utf8.count <= 400, let bytes = Hex.decode(token) else {
            throw .invalid("tokens[].token", "must be 16 to 400 hexadecimal digits, an even number")
        }
        return Hex.encode(bytes)
    }

    private func fcmToken() throws(Problem) -> String {
        guard let token else { throw .missing("tokens[].token") }
        try refuse("endpoint, topic and environment", endpoint == nil && topic == nil && environment == nil)
        guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw .invalid("tokens[].token", "must be printable ASCII without spaces")
        }
        return token
    }

    private func webPush() throws(Problem) -> PlainToken {
        guard let endpoint else { throw .missing("tokens[].endpoint") }
        guard let p256dh else { throw .missing("tokens[].p256dh") }
        guard let auth else { throw .missing("tokens[].auth") }
        try refuse("token, topic and environment", token == nil && topic == nil && environment == nil)
        guard endpoint.hasPrefix("https://"), endpoint.utf8.count > "https://".utf8.count else {
            throw .invalid("tokens[].endpoint", "must be an https URL")
        }
        guard (try? ECDSAP256.PublicKey(point: p256dh)) != nil else {
            throw .invalid("tokens[].p256dh", "must be an uncompressed point of P-256")
        }
        return .webPush(endpoint: endpoint, p256dh: p256dh, auth: auth)
    }

    private func refuse(_ fields: StaticString, _ isFine: Bool) throws(Problem) {
        guard isFine else { throw .invalid("tokens[]", "has fields of another transport (\(fields))") }
    }

    private static func environment(_ node: JSONNode) throws(Problem) -> Environment {
        if node.isString("production") { return .production }
        if node.isString("sandbox") { return .sandbox }
        guard node.kind == .string else { throw .wrongType("tokens[].environment", "a string") }
        throw .invalid("tokens[].environment", "must be \"production\" or \"sandbox\"")
    }

    private static func bytes(
        _ node: JSONNode, _ path: StaticString, count: Int
    ) throws(Problem) -> [UInt8] {
        let text = try node.text(path, upTo: 128)
        guard let bytes = Base64URL.decode(text), bytes.count == count else {
            throw .invalid(path, "must be \(count) bytes in base64url without padding")
        }
        return bytes
    }
}
