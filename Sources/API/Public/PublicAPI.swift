package import Domain
package import Engine
package import EventLoop
package import HTTP
package import Telemetry
package import Wire

/// What the public listener serves: backends and devices.
package final class PublicAPI: Sendable {
    /// What the program gives.
    package struct Dependencies: Sendable {
        package var engine: Engine
        package var credentials: CredentialDirectory
        package var sealing: any TokenSealing
        package var failures: AuthenticationFailures
        package var metrics: MetricRegistry
        package var health: any HealthReporting
        package var clock: @Sendable () -> Moment
        /// Takes over a connection at `GET /v1/gateway`; nil as identity: the first frame authenticates.
        package var openGateway: @Sendable (HTTPRequest, HTTPResponder, DeviceIdentity?) -> Void
        /// Open while this process owns the data; what is answered from its state is not given past it.
        package var gate: (any WriteGate)?

        package init(
            engine: Engine, credentials: CredentialDirectory, sealing: any TokenSealing,
            failures: AuthenticationFailures, metrics: MetricRegistry, health: any HealthReporting,
            clock: @escaping @Sendable () -> Moment,
            openGateway: @escaping @Sendable (HTTPRequest, HTTPResponder, DeviceIdentity?) -> Void
        ) {
            self.engine = engine
            self.credentials = credentials
            self.sealing = sealing
            self.failures = failures
            self.metrics = metrics
            self.health = health
            self.clock = clock
            self.openGateway = openGateway
        }
    }

    package let router: Router

    package init(_ dependencies: Dependencies) {
        let gatekeeper = Gatekeeper(
            credentials: dependencies.credentials, adminToken: nil, failures: dependencies.failures,
            failureCounter: dependencies.metrics.counter(
                .authenticationFailures, [MetricLabel("listener", "public")]))
        let routes =
            MessagesResource(engine: dependencies.engine).routes
            + UsersResource(engine: dependencies.engine, sealing: dependencies.sealing).routes
            + DeviceResource(engine: dependencies.engine, sealing: dependencies.sealing).routes
            + MailboxResource(engine: dependencies.engine).routes
            + CallsResource(engine: dependencies.engine).routes
            + GatewayResource(
                gatekeeper: gatekeeper, health: dependencies.health, open: dependencies.openGateway
            ).routes
            + HealthResource(health: dependencies.health).routes
        router = Router(
            routes + [OpenAPIDocument.route(routes, title: "Rouse: public interface")], listener: "public",
            gatekeeper: gatekeeper, health: dependencies.health, metrics: dependencies.metrics,
            gate: dependencies.gate, clock: dependencies.clock)
    }

    /// For `HTTPServer`.
    package func respond(_ request: HTTPRequest, _ responder: HTTPResponder) {
        router.respond(request, responder)
    }
}
