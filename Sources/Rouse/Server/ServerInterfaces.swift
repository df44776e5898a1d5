import API
import Domain
import Engine
import EventLoop
import Gateway
import HTTP
import Providers
import Telemetry
import Wire

/// The two listeners and what answers on them.
struct ServerInterfaces: Sendable {
    let gateway: Gateway
    private let publicAPI: PublicAPI
    private let adminAPI: AdminAPI

    init(
        _ config: Config, _ core: ServerCore, _ store: ServerStore, _ adminToken: AdminToken,
        _ loops: EventLoopGroup
    ) {
        let metrics = MetricRegistry()
        let failures = AuthenticationFailures()
        let health = ServerHealth(
            ownership: core.ownership, engine: core.engine, directory: store.directory,
            leaseGuard: core.leaseGuard)
        let gate = LeaseGate(core.leaseGuard)
        let gateway = Gateway(
            engine: core.engine,
            authenticator: GatewayAuthenticator(
                credentials: core.credentials, failures: failures, metrics: metrics),
            group: loops, settings: Self.gatewaySettings(config), metrics: metrics, gate: gate,
            clock: Self.now)
        self.gateway = gateway
        var forClients = PublicAPI.Dependencies(
            engine: core.engine, credentials: core.credentials, sealing: store.sealer,
            failures: failures, metrics: metrics, health: health, clock: Self.now,
            openGateway: { request, responder, identity in
                gateway.open(request, responder, identity.map { LinkIdentity($0) })
            })
        forClients.gate = gate
        publicAPI = PublicAPI(forClients)
        var forOperators = AdminAPI.Dependencies(
            engine: core.engine, store: store.directory, tenants: core.registry,
            credentials: core.credentials, secrets: store.sealer, checker: CredentialChecker(),
            adminToken: adminToken, failures: failures, metrics: metrics, health: health,
            clock: Self.now, allotTenantKey: { core.tenantKeys.allot() },
            credentialsChanged: { tenant, provider in
                core.senders.credentialChanged(
                    tenant, provider: provider, to: core.credentials.provider(provider, of: tenant))
            })
        forOperators.gate = gate
        adminAPI = AdminAPI(forOperators)
    }

    private static let now: @Sendable () -> Moment = {
        Moment(
            instant: Instant(milliseconds: MonotonicClock.nowMilliseconds()),
            wall: WallTime(milliseconds: WallClock.now()))
    }

    private static func gatewaySettings(_ config: Config) -> GatewaySettings {
        var settings = GatewaySettings()
        settings.unsentLiveBytes = config.limits.unreadOutputBytes
        return settings
    }

    func listenPublicly(
        _ config: Config, _ budget: DescriptorBudget, _ loops: EventLoopGroup
    ) throws -> HTTPServer {
        var settings = HTTPServerSettings()
        settings.listener.maximumConnections = budget.connections
        settings.listener.maximumRefusals = budget.refusals
        settings.listener.socket = GatewaySettings.socketOptions(
            userTimeoutMilliseconds: Int(config.policy.tcpUserTimeout))
        settings.limits.bodyBytes = config.limits.requestBodyBytes
        return try listen(config.publicListener, "public", settings, loops, publicAPI.respond)
    }

    func listenForOperators(
        _ config: Config, _ budget: DescriptorBudget, _ loops: EventLoopGroup
    ) throws -> HTTPServer {
        var settings = HTTPServerSettings()
        settings.listener.maximumConnections = budget.adminConnections
        settings.listener.maximumRefusals = budget.refusals
        return try listen(config.adminListener, "admin", settings, loops, adminAPI.respond)
    }

    private func listen(
        _ listener: Config.Listener, _ name: String, _ settings: HTTPServerSettings, _ loops: EventLoopGroup,
        _ respond: @escaping HTTPServer.Responder
    ) throws -> HTTPServer {
        let address = try ListenAddress.parse(listener.listen)
        let tls = try Self.tls(listener)
        let change = "\(name).listen in the config or \(ConfigKey.variable("\(name).listen"))"
        return try ListenAddress.listening(on: address, change: change) {
            try HTTPServer(
                address: address, group: loops, settings: settings, tls: tls, renderer: Problem.render,
                responder: respond)
        }
    }

    /// Nil: plain HTTP.
    static func tls(_ listener: Config.Listener) throws -> TLSContext? {
        guard let certificate = listener.certificateFile, let key = listener.keyFile else { return nil }
        do {
            return try TLSContext.server(
                certificateChainFile: certificate, privateKeyFile: key, protocols: ["http/1.1"])
        } catch { throw CommandFailure("TLS: \(error)") }
    }
}
