package import Domain
package import Engine
package import EventLoop
package import HTTP
package import Telemetry
package import Wire

/// What the admin listener serves: the operator's calls.
package final class AdminAPI: Sendable {
    /// What the program gives.
    package struct Dependencies: Sendable {
        package var engine: Engine
        package var store: any DirectoryStore
        package var tenants: TenantRegistry
        package var credentials: CredentialDirectory
        package var secrets: any SecretSealing
        package var checker: any ProviderCredentialChecking
        package var adminToken: AdminToken
        package var failures: AuthenticationFailures
        package var metrics: MetricRegistry
        package var health: any HealthReporting
        package var clock: @Sendable () -> Moment
        /// A key that no tenant has had.
        package var allotTenantKey: @Sendable () -> TenantKey
        /// A provider's credential was put or removed: the senders look again.
        package var credentialsChanged: @Sendable (TenantKey, String) -> Void
        /// Open while this process owns the data; what is answered from its state is not given past it.
        package var gate: (any WriteGate)?
        let changes = ChangeOrder()

        package init(
            engine: Engine, store: any DirectoryStore, tenants: TenantRegistry,
            credentials: CredentialDirectory, secrets: any SecretSealing,
            checker: any ProviderCredentialChecking, adminToken: AdminToken,
            failures: AuthenticationFailures, metrics: MetricRegistry, health: any HealthReporting,
            clock: @escaping @Sendable () -> Moment, allotTenantKey: @escaping @Sendable () -> TenantKey,
            credentialsChanged: @escaping @Sendable (TenantKey, String) -> Void
        ) {
            self.engine = engine
            self.store = store
            self.tenants = tenants
            self.credentials = credentials
            self.secrets = secrets
            self.checker = checker
            self.adminToken = adminToken
            self.failures = failures
            self.metrics = metrics
            self.health = health
            self.clock = clock
            self.allotTenantKey = allotTenantKey
            self.credentialsChanged = credentialsChanged
        }
    }

    package let router: Router

    package init(_ dependencies: Dependencies) {
        let gatekeeper = Gatekeeper(
            credentials: dependencies.credentials, adminToken: dependencies.adminToken,
            failures: dependencies.failures,
            failureCounter: dependencies.metrics.counter(
                .authenticationFailures, [MetricLabel("listener", "admin")]))
        let routes =
            TenantsResource(dependencies).routes + APIKeysResource(dependencies).routes
            + ClientKeysResource(dependencies).routes + ProvidersResource(dependencies).routes
            + StatusResource(dependencies, gatekeeper).routes + ExplainResource(dependencies).routes
            + DevicesResource(dependencies).routes
            + HealthResource(health: dependencies.health).routes
        router = Router(
            routes + [OpenAPIDocument.route(routes, title: "Rouse: admin interface")], listener: "admin",
            gatekeeper: gatekeeper, health: dependencies.health, metrics: dependencies.metrics,
            gate: dependencies.gate, clock: dependencies.clock)
    }

    /// For `HTTPServer`.
    package func respond(_ request: HTTPRequest, _ responder: HTTPResponder) {
        router.respond(request, responder)
    }
}

extension AdminAPI.Dependencies {
    /// The tenant a path names.
    func tenant(_ call: Call) throws(Problem) -> StoredTenant {
        guard let row = tenants.row(TenantID(call.parameters[0])) else {
            throw Problem(.noSuchTenant, "See GET /admin/tenants.")
        }
        return row
    }

    /// The tenant that `?tenant=` names.
    func tenant(named call: Call) throws(Problem) -> StoredTenant {
        guard let name = call.request.query["tenant"] else { throw .missing("?tenant") }
        guard let row = tenants.row(TenantID(name)) else {
            throw Problem(.noSuchTenant, "See GET /admin/tenants.")
        }
        return row
    }
}

extension Answer {
    /// Runs what waits for the store; what it throws is the answer.
    func run(_ work: @escaping @Sendable () async throws(Problem) -> Void) {
        Task {
            do throws(Problem) {
                try await work()
            } catch {
                problem(error)
            }
        }
    }
}

extension Answer {
    /// As `run`, when the changes that came before have ended.
    func run(_ order: ChangeOrder, _ work: @escaping @Sendable () async throws(Problem) -> Void) {
        run { () async throws(Problem) in try await order.run(work) }
    }
}

/// A store's call, its failure as the problem it is for the caller.
func stored<Value>(
    _ call: () async throws(StoreFailure) -> Value
) async throws(Problem) -> Value {
    do throws(StoreFailure) {
        return try await call()
    } catch {
        throw Problem(error)
    }
}
