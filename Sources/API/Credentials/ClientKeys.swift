import Domain
import Engine
import Wire

/// The keys of one tenant that verify its devices' credentials, by `kid`.
struct ClientKeys: Sendable {
    private(set) var byID: [String: JWT.VerifyingKey] = [:]

    mutating func add(_ kid: String, _ key: JWT.VerifyingKey) { byID[kid] = key }

    /// The key a header names; a header that names none means the only one there is.
    func key(named kid: String?) -> JWT.VerifyingKey? {
        if let kid { return byID[kid] }
        return byID.count == 1 ? byID.values.first : nil
    }

    /// Under which name a key is sealed.
    static func row(_ tenant: TenantKey, kid: String) -> String { "client_key/\(tenant.raw)/\(kid)" }

    /// Opens a stored key; nil if its seal or its content is broken.
    static func open(_ stored: StoredClientKey, _ sealing: any SecretSealing) -> JWT.VerifyingKey? {
        guard let material = sealing.open(stored.sealed, for: row(stored.tenant, kid: stored.kid)) else {
            return nil
        }
        switch stored.algorithm {
        case "HS256": return .hs256(HMACSHA256(key: material))
        case "ES256": return (try? ECDSAP256.PublicKey(pem: material)).map { .es256($0) }
        default: return nil
        }
    }
}
