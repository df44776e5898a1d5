import API
import Domain
import Engine
import EventLoop
import Gateway
import HTTP
import Telemetry
import Wire

/// The two listeners and what answers on them.
struct ServerInterfaces: Sendable {
    private let publicAPI: PublicAPI

    init(_ config: Config, _ core: ServerCore, _ store: ServerStore, _ adminToken: AdminToken) {
        let metrics = MetricRegistry()
        let health = ServerHealth(
            ownership: core.ownership, directory: store.directory, leaseGuard: core.leaseGuard,
            clock: LeaseClock())
        let clock: @Sendable () -> Moment = {
            Moment(
                instant: Instant(milliseconds: MonotonicClock.nowMilliseconds()),
                wall: WallTime(milliseconds: WallClock.now()))
        }
        publicAPI = PublicAPI(
            PublicAPI.Dependencies(
                engine: core.engine, credentials: core.credentials, sealing: store.sealer,
                failures: AuthenticationFailures(), metrics: metrics, health: health, clock: clock,
                openGateway: { _, responder, _ in responder.respond(HTTPResponse(status: 501)) }))
    }

    func listenPublicly(_ config: Config, _ loops: EventLoopGroup) throws -> HTTPServer {
        var settings = HTTPServerSettings()
        settings.listener.maximumConnections = config.limits.connections
        settings.listener.socket.userTimeoutMilliseconds = Int(config.policy.tcpUserTimeout)
        settings.limits.bodyBytes = config.limits.requestBodyBytes
        return try listen(config.publicListener, "public", settings, loops, publicAPI.respond)
    }

    func listenForOperators(_ config: Config, _ loops: EventLoopGroup) throws -> HTTPServer {
        var settings = HTTPServerSettings()
        settings.listener.maximumConnections = config.limits.adminConnections
        return try listen(config.adminListener, "admin", settings, loops, publicAPI.respond)
    }

    private func listen(
        _ listener: Config.Listener, _ name: String, _ settings: HTTPServerSettings, _ loops: EventLoopGroup,
        _ respond: @escaping HTTPServer.Responder
    ) throws -> HTTPServer {
        let address = try ListenAddress.parse(listener.listen)
        let tls = try Self.tls(listener)
        let change = "\(name).listen or \(ConfigKey.variable("\(name).listen"))"
        return try ListenAddress.listening(on: address, change: change) {
            try HTTPServer(
                address: address, group: loops, settings: settings, tls: tls,
                renderer: { HTTPResponse(status: $0.status) },
                responder: respond)
        }
    }

    private static func tls(_ listener: Config.Listener) throws -> TLSContext? {
        guard let certificate = listener.certificateFile, let key = listener.keyFile else { return nil }
        do {
            return try TLSContext.server(
                certificateChainFile: certificate, privateKeyFile: key, protocols: ["http/1.1"])
        } catch { throw CommandFailure("\(error)") }
    }
}
