import Domain
import Engine
import Gateway
import Wire

/// `/admin/tenants/{tenant}/providers/{provider}`: credentials, checked on the way in and sealed at rest.
struct ProvidersResource: Sendable {
    static let names = ["apns", "fcm", "webpush"]

    private let dependencies: AdminAPI.Dependencies

    init(_ dependencies: AdminAPI.Dependencies) { self.dependencies = dependencies }

    var routes: [Route] {
        [
            Route(
                .put, "/admin/tenants/{tenant}/providers/{provider}",
                "Put a provider's credential; in use at once.", body: .json("ProviderCredential"),
                [Route.Outcome(200, "Provider")],
                .administrator { call, answer throws(Problem) in try put(call, answer) }),
            Route(
                .get, "/admin/tenants/{tenant}/providers/{provider}",
                "A credential's ids and dates, and its channels.", [Route.Outcome(200, "Provider")],
                .administrator { call, answer throws(Problem) in try show(call, answer) }),
            Route(
                .delete, "/admin/tenants/{tenant}/providers/{provider}", "Remove a provider's credential.",
                [Route.Outcome(204)],
                .administrator { call, answer throws(Problem) in try remove(call, answer) }),
        ]
    }

    private func put(_ call: Call, _ answer: Answer) throws(Problem) {
        let tenant = try dependencies.tenant(call).key
        let provider = try Self.provider(call)
        _ = try JSONDocument.object(parsing: call.request.body)
        let row = try row(call.request.body, tenant, provider, at: call.now.wall)
        answer.run(dependencies.changes) { () async throws(Problem) in
            let store = dependencies.store
            try await stored { () async throws(StoreFailure) in
                try await store.putProviderCredential(row)
            }
            dependencies.credentials.put(row)
            dependencies.credentialsChanged(tenant, provider)
            answer.json { $0.provider(row, []) }
        }
    }

    private func row(
        _ body: [UInt8], _ tenant: TenantKey, _ provider: String, at now: WallTime
    ) throws(Problem) -> StoredProviderCredential {
        do throws(ProviderCredentialFault) {
            return StoredProviderCredential(
                tenant: tenant, provider: provider,
                summary: try dependencies.checker.summary(of: body, provider: provider),
                sealed: dependencies.secrets.seal(
                    body, for: dependencies.checker.row(tenant, provider: provider)),
                createdAt: now)
        } catch {
            throw Problem(.invalidValue, "\(error.field) \(error.problem).")
        }
    }

    private func show(_ call: Call, _ answer: Answer) throws(Problem) {
        let tenant = try dependencies.tenant(call).key
        let provider = try Self.provider(call)
        guard let row = dependencies.credentials.provider(provider, of: tenant) else {
            throw Problem(.notFound, "The tenant has no credential of this provider.")
        }
        dependencies.engine.status { shards in
            let channels = ChannelSummary.all(of: shards).filter { channel in
                channel.id.tenant == tenant && channel.provider == provider
            }
            answer.json { $0.provider(row, channels) }
        }
    }

    private func remove(_ call: Call, _ answer: Answer) throws(Problem) {
        let tenant = try dependencies.tenant(call).key
        let provider = try Self.provider(call)
        answer.run(dependencies.changes) { () async throws(Problem) in
            let store = dependencies.store
            let existed = try await stored { () async throws(StoreFailure) in
                try await store.deleteProviderCredential(tenant, provider: provider)
            }
            dependencies.credentials.removeProvider(tenant, provider)
            dependencies.credentialsChanged(tenant, provider)
            guard existed else { throw Problem(.notFound, "The tenant has no credential of this provider.") }
            answer.empty()
        }
    }

    private static func provider(_ call: Call) throws(Problem) -> String {
        let name = call.parameters[1]
        guard names.contains(name) else {
            throw Problem(.notFound, "Providers are \(names.joined(separator: ", ")).")
        }
        return name
    }
}

extension JSONWriter {
    fileprivate mutating func provider(_ row: StoredProviderCredential, _ channels: [ChannelSummary]) {
        beginObject()
        member("provider", row.provider)
        key("created_at")
        time(row.createdAt)
        key("credential")
        raw(row.summary)
        key("channels")
        beginArray()
        for channel in channels { self.channel(channel) }
        endArray()
        endObject()
    }
}
