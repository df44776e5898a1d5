import Domain
import Engine
import Gateway
import Wire

/// `/admin/tenants/{tenant}/api_keys`: made, listed and revoked; the key itself is shown once.
struct APIKeysResource: Sendable {
    private static let maximumNameBytes = 256
    private static let maximumKeys = 100

    private let dependencies: AdminAPI.Dependencies

    init(_ dependencies: AdminAPI.Dependencies) { self.dependencies = dependencies }

    var routes: [Route] {
        [
            Route(
                .post, "/admin/tenants/{tenant}/api_keys", "Make an API key; it is shown this once.",
                body: .json("NewAPIKey"), [Route.Outcome(201, "MadeAPIKey")],
                .administrator { call, answer throws(Problem) in try create(call, answer) }),
            Route(
                .get, "/admin/tenants/{tenant}/api_keys", "The tenant's API keys, without the keys.",
                [Route.Outcome(200, "APIKeys")],
                .administrator { call, answer throws(Problem) in
                    let keys = dependencies.credentials.apiKeys(of: try dependencies.tenant(call).key)
                    answer.json { $0.apiKeys(keys) }
                }),
            Route(
                .delete, "/admin/tenants/{tenant}/api_keys/{prefix}", "Revoke an API key, at once.",
                [Route.Outcome(204)],
                .administrator { call, answer throws(Problem) in try revoke(call, answer) }),
        ]
    }

    private func create(_ call: Call, _ answer: Answer) throws(Problem) {
        let tenant = try dependencies.tenant(call).key
        let name = try Self.name(call.request.body)
        guard dependencies.credentials.apiKeys(of: tenant).count < Self.maximumKeys else {
            throw Problem(.invalidValue, "A tenant has up to \(Self.maximumKeys) API keys: revoke one.")
        }
        let (key, row) = APIKey.make(
            tenant, name: name, at: call.now.wall, sealing: dependencies.secrets)
        answer.run { () async throws(Problem) in
            let store = dependencies.store
            try await stored { () async throws(StoreFailure) in try await store.insertAPIKey(row) }
            dependencies.credentials.add(row)
            answer.json(201) { writer in
                writer.beginObject()
                writer.member("key", key)
                writer.apiKey(row)
                writer.endObject()
            }
        }
    }

    private func revoke(_ call: Call, _ answer: Answer) throws(Problem) {
        let tenant = try dependencies.tenant(call).key
        let prefix = call.parameters[1]
        answer.run { () async throws(Problem) in
            let store = dependencies.store
            let existed = try await stored { () async throws(StoreFailure) in
                try await store.deleteAPIKey(tenant, prefix: prefix)
            }
            dependencies.credentials.removeAPIKey(tenant, prefix: prefix)
            guard existed else { throw Problem(.notFound, "The tenant has no API key of this prefix.") }
            answer.empty()
        }
    }

    private static func name(_ body: [UInt8]) throws(Problem) -> String {
        var name: String?
        for (key, value) in try JSONDocument.object(parsing: body).members {
            guard key == "name" else { throw .unknownField(key) }
            name = try value.present?.name("name", upTo: maximumNameBytes)
        }
        guard let name, !name.isEmpty else { throw .missing("name") }
        return name
    }
}

extension JSONWriter {
    fileprivate mutating func apiKey(_ row: StoredAPIKey) {
        member("prefix", row.prefix)
        member("name", row.name)
        key("created_at")
        time(row.createdAt)
    }

    fileprivate mutating func apiKeys(_ rows: [StoredAPIKey]) {
        beginObject()
        key("api_keys")
        beginArray()
        for row in rows {
            beginObject()
            apiKey(row)
            endObject()
        }
        endArray()
        endObject()
    }
}
