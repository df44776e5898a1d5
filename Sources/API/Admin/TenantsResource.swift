import Domain
import Engine
import Gateway
import Wire

/// `/admin/tenants`: who is served, and by which policy.
struct TenantsResource: Sendable {
    private let dependencies: AdminAPI.Dependencies

    init(_ dependencies: AdminAPI.Dependencies) { self.dependencies = dependencies }

    var routes: [Route] {
        [
            Route(
                .get, "/admin/tenants", "All tenants.", [Route.Outcome(200, "Tenants")],
                .administrator { _, answer throws(Problem) in
                    answer.json { writer in
                        writer.beginObject()
                        writer.key("tenants")
                        writer.beginArray()
                        for row in dependencies.tenants.all { write(row, to: &writer) }
                        writer.endArray()
                        writer.endObject()
                    }
                }),
            Route(
                .post, "/admin/tenants", "Make a tenant.", body: .json("NewTenant"),
                [Route.Outcome(201, "Tenant")],
                .administrator { call, answer throws(Problem) in try create(call, answer) }),
            Route(
                .get, "/admin/tenants/{tenant}", "A tenant with its policy in force.",
                [Route.Outcome(200, "Tenant")],
                .administrator { call, answer throws(Problem) in
                    let row = try dependencies.tenant(call)
                    answer.json { write(row, to: &$0) }
                }),
            Route(
                .patch, "/admin/tenants/{tenant}", "Change what is named; in force at once.",
                body: .json("TenantChange"), [Route.Outcome(200, "Tenant")],
                .administrator { call, answer throws(Problem) in try change(call, answer) }),
            Route(
                .delete, "/admin/tenants/{tenant}", "Remove a tenant and all that is kept of it.",
                [Route.Outcome(204)],
                .administrator { call, answer throws(Problem) in try remove(call, answer) }),
        ]
    }

    private func create(_ call: Call, _ answer: Answer) throws(Problem) {
        let body = try TenantBody(parsing: call.request.body, mayName: true)
        guard let name = body.name else { throw .missing("tenant") }
        var policy = PolicyDocument()
        if let node = body.policy { try policy.apply(node, zones: dependencies.engine.zones) }
        let row = StoredTenant(
            key: dependencies.allotTenantKey(), name: name, policy: policy.json,
            isPaused: body.isPaused ?? false, createdAt: call.now.wall)
        answer.run(dependencies.changes) { () async throws(Problem) in
            let store = dependencies.store
            let isNew = try await stored { () async throws(StoreFailure) in
                try await store.createTenant(row)
            }
            guard isNew else { throw Problem(.alreadyExists, "A tenant of this name exists.") }
            adopt(row)
            answer.json(201) { write(row, to: &$0) }
        }
    }

    private func change(_ call: Call, _ answer: Answer) throws(Problem) {
        answer.run(dependencies.changes) { () async throws(Problem) in
            let changed = try changed(call)
            let store = dependencies.store
            try await stored { () async throws(StoreFailure) in try await store.updateTenant(changed) }
            adopt(changed)
            answer.json { write(changed, to: &$0) }
        }
    }

    /// The tenant as it stands now, with what the call changes of it.
    private func changed(_ call: Call) throws(Problem) -> StoredTenant {
        var row = try dependencies.tenant(call)
        let body = try TenantBody(parsing: call.request.body, mayName: false)
        var policy = PolicyDocument(stored: row.policy)
        if let node = body.policy { try policy.apply(node, zones: dependencies.engine.zones) }
        row.policy = policy.json
        row.isPaused = body.isPaused ?? row.isPaused
        return row
    }

    private func remove(_ call: Call, _ answer: Answer) throws(Problem) {
        let row = try dependencies.tenant(call)
        answer.run(dependencies.changes) { () async throws(Problem) in
            let store = dependencies.store
            try await stored { () async throws(StoreFailure) in try await store.deleteTenant(row.key) }
            dependencies.credentials.forget(row.key)
            dependencies.tenants.remove(row.key)
            dependencies.engine.tenantRemoved(row.key)
            for provider in ProvidersResource.names { dependencies.credentialsChanged(row.key, provider) }
            answer.empty()
        }
    }

    private func adopt(_ row: StoredTenant) {
        dependencies.tenants.put(row)
        dependencies.engine.policyChanged(dependencies.tenants.tenant(row))
    }

    private func write(_ row: StoredTenant, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("tenant", row.name.text)
        writer.key("policy")
        writer.policyObject(dependencies.tenants.tenant(row).policy)
        writer.member("paused", row.isPaused)
        writer.member("mode", row.mode)
        writer.key("created_at")
        writer.time(row.createdAt)
        writer.endObject()
    }
}

/// The body that makes or changes a tenant.
private struct TenantBody {
    var name: TenantID?
    var policy: JSONNode?
    var isPaused: Bool?

    init(parsing body: [UInt8], mayName: Bool) throws(Problem) {
        for (key, value) in try JSONDocument.object(parsing: body).members {
            switch key {
            case "tenant" where mayName: name = try value.present.map(Self.name)
            case "policy": policy = try value.present?.object("policy")
            case "paused": isPaused = try value.present?.flag("paused")
            case "mode": if let value = value.present { try Self.checkMode(value) }
            default: throw .unknownField(key)
            }
        }
    }

    private static func checkMode(_ node: JSONNode) throws(Problem) {
        switch try node.text("mode", upTo: 16) {
        case "live": return
        case "shadow": throw Problem(.notSupported, "mode \"shadow\" is not supported yet.")
        default: throw .invalid("mode", "must be \"live\"")
        }
    }

    /// `[a-z0-9][a-z0-9-]{0,62}`
    private static func name(_ node: JSONNode) throws(Problem) -> TenantID {
        let text = try node.text("tenant", upTo: 1_024)
        let isName = text.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
        }
        guard isName, (1...63).contains(text.utf8.count), text.utf8.first != UInt8(ascii: "-") else {
            throw .invalid("tenant", "must be [a-z0-9][a-z0-9-]{0,62}")
        }
        return TenantID(text)
    }
}
