package import Domain
package import Engine
import Wire

/// Seals with keys made for this test run.
package final class PlainSealing: SecretSealing, TokenSealing {
    private let mask = SecureRandom.bytes(count: 1)[0] | 1

    package init() {}

    package func seal(_ secret: [UInt8], for row: String) -> [UInt8] {
        SHA256.hash(Array(row.utf8)) + secret.map { $0 ^ mask }
    }

    package func open(_ sealed: [UInt8], for row: String) -> [UInt8]? {
        guard Array(sealed.prefix(32)) == SHA256.hash(Array(row.utf8)) else { return nil }
        return sealed.dropFirst(32).map { $0 ^ mask }
    }

    package func hashAPIKey(_ key: [UInt8]) -> [UInt8] { HMACSHA256.authenticate(key, key: [mask]) }

    package func collapseHash(tenant: TenantID, user: UserID, conversation: ConversationID) -> [UInt8] {
        Array(SHA256.hash(Array("\(tenant)/\(user)/\(conversation)".utf8)).prefix(24))
    }

    package func seal(_ token: PlainToken, tenant: TenantKey) -> UnkeyedToken {
        let text = "\(token)"
        let environment: Environment =
            switch token {
            case .apns(_, _, let environment), .apnsVoIP(_, _, let environment): environment
            case .fcm, .webPush: .production
            }
        return UnkeyedToken(
            transport: token.transport, environment: environment, sealed: seal(Array(text.utf8), for: "t"),
            keyID: "k", lookup: SHA256.hash(Array("\(tenant.raw)/\(text)".utf8)), topic: "")
    }

    package func open(_ token: SealedToken, tenant: TenantKey) -> PlainToken? { nil }
}
