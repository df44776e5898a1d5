import Domain
import Engine
import Wire

/// Seals by prefixing: what the senders must be able to tell is only whether a seal opens.
struct TestSealing: SecretSealing, TokenSealing {
    func seal(_ secret: [UInt8], for row: String) -> [UInt8] { Array(row.utf8) + [0] + secret }

    func open(_ sealed: [UInt8], for row: String) -> [UInt8]? {
        let prefix = Array(row.utf8) + [0]
        return sealed.starts(with: prefix) ? Array(sealed.dropFirst(prefix.count)) : nil
    }

    func hashAPIKey(_ key: [UInt8]) -> [UInt8] { SHA256.hash(key) }

    func collapseHash(tenant: TenantID, user: UserID, conversation: ConversationID) -> [UInt8] {
        Array(SHA256.hash(Array("\(tenant)\u{0}\(user)\u{0}\(conversation)".utf8)).prefix(24))
    }

    func seal(_ token: PlainToken, tenant: TenantKey) -> UnkeyedToken {
        let (text, environment, topic): (String, Environment, String) =
            switch token {
            case .apns(let hex, let topic, let environment), .apnsVoIP(let hex, let topic, let environment):
                (hex, environment, topic)
            case .fcm(let text): (text, .production, "")
            case .webPush(let endpoint, _, _): (endpoint, .production, "")
            }
        return UnkeyedToken(
            transport: token.transport, environment: environment, sealed: Array(text.utf8), keyID: "k",
            lookup: Array(text.utf8), topic: topic)
    }

    func open(_ token: SealedToken, tenant: TenantKey) -> PlainToken? {
        let text = String(decoding: token.sealed, as: UTF8.self)
        guard !text.isEmpty else { return nil }
        return switch token.digest.transport {
        case .apns: .apns(hex: text, topic: token.topic, token.digest.environment)
        case .apnsVoIP: .apnsVoIP(hex: text, topic: token.topic, token.digest.environment)
        case .fcm: .fcm(text)
        case .webPush: nil
        }
    }
}
