import Domain
import Engine
import Wire

/// `/admin/tenants/{tenant}/client_keys`: what verifies the credentials of the tenant's devices.
struct ClientKeysResource: Sendable {
    private static let maximumKeys = 16
    private static let minimumSecretBytes = 32

    private let dependencies: AdminAPI.Dependencies

    init(_ dependencies: AdminAPI.Dependencies) { self.dependencies = dependencies }

    var routes: [Route] {
        [
            Route(
                .put, "/admin/tenants/{tenant}/client_keys", "Replace the keys that verify devices.",
                body: .json("ClientKeys"), [Route.Outcome(200, "ClientKeyList")],
                .administrator { call, answer throws(Problem) in try replace(call, answer) }),
            Route(
                .get, "/admin/tenants/{tenant}/client_keys", "The keys' ids and algorithms.",
                [Route.Outcome(200, "ClientKeyList")],
                .administrator { call, answer throws(Problem) in
                    let rows = dependencies.credentials.clientKeys(of: try dependencies.tenant(call).key)
                    answer.json { $0.clientKeys(rows) }
                }),
        ]
    }

    private func replace(_ call: Call, _ answer: Answer) throws(Problem) {
        let tenant = try dependencies.tenant(call).key
        let rows = try rows(call.request.body, tenant)
        answer.run(dependencies.changes) { () async throws(Problem) in
            let store = dependencies.store
            try await stored { () async throws(StoreFailure) in
                try await store.replaceClientKeys(tenant, rows)
            }
            dependencies.credentials.replaceClientKeys(tenant, rows)
            answer.json { $0.clientKeys(rows) }
        }
    }

    private func rows(_ body: [UInt8], _ tenant: TenantKey) throws(Problem) -> [StoredClientKey] {
        var rows: [StoredClientKey]?
        for (key, value) in try JSONDocument.object(parsing: body).members {
            guard key == "keys" else { throw .unknownField(key) }
            var read: [StoredClientKey] = []
            for element in try value.list("keys") {
                guard read.count < Self.maximumKeys else {
                    throw .invalid("keys", "has more than \(Self.maximumKeys)")
                }
                let row = try row(element, tenant)
                guard !read.contains(where: { $0.kid == row.kid }) else {
                    throw .invalid("keys[].kid", "may be named once")
                }
                read.append(row)
            }
            rows = read
        }
        guard let rows else { throw .missing("keys") }
        return rows
    }

    private func row(_ node: JSONNode, _ tenant: TenantKey) throws(Problem) -> StoredClientKey {
        var kid: String?
        var algorithm: String?
        var secret: String?
        var pem: String?
        for (key, value) in try node.object("keys[]").members {
            switch key {
            case "kid":
                let id: Identifier<Never>? = try value.present?.identifier("keys[].kid")
                kid = id?.text
            case "alg": algorithm = try value.present?.text("keys[].alg", upTo: 16)
            case "secret": secret = try value.present?.text("keys[].secret", upTo: 1_024)
            case "public_key": pem = try value.present?.text("keys[].public_key", upTo: 4_096)
            default: throw .unknownField("keys[].\(key)")
            }
        }
        guard let kid else { throw .missing("keys[].kid") }
        guard let algorithm else { throw .missing("keys[].alg") }
        let material = try Self.material(algorithm, secret: secret, pem: pem)
        return StoredClientKey(
            tenant: tenant, kid: kid, algorithm: algorithm,
            sealed: dependencies.secrets.seal(material, for: ClientKeys.row(tenant, kid: kid)))
    }

    private static func material(
        _ algorithm: String, secret: String?, pem: String?
    ) throws(Problem) -> [UInt8] {
        switch algorithm {
        case "HS256":
            guard pem == nil else { throw .invalid("keys[].public_key", "does not belong to HS256") }
            guard let secret else { throw .missing("keys[].secret") }
            guard let bytes = Base64URL.decode(secret), bytes.count >= minimumSecretBytes else {
                throw .invalid(
                    "keys[].secret",
                    "must be \(minimumSecretBytes) bytes or more in base64url without padding")
            }
            return bytes
        case "ES256":
            guard secret == nil else { throw .invalid("keys[].secret", "does not belong to ES256") }
            guard let pem else { throw .missing("keys[].public_key") }
            guard (try? ECDSAP256.PublicKey(pem: Array(pem.utf8))) != nil else {
                throw .invalid("keys[].public_key", "must be the PEM text of a P-256 public key")
            }
            return Array(pem.utf8)
        default: throw .invalid("keys[].alg", "must be \"HS256\" or \"ES256\"")
        }
    }
}

extension JSONWriter {
    fileprivate mutating func clientKeys(_ rows: [StoredClientKey]) {
        beginObject()
        key("keys")
        beginArray()
        for row in rows {
            beginObject()
            member("kid", row.kid)
            member("alg", row.algorithm)
            endObject()
        }
        endArray()
        endObject()
    }
}
