import EventLoop
import Telemetry
import Wire

/// Everything at once: private Postgres, simulated providers, server, demo tenant.
struct DevServer: Sendable {
    let server: Server
    let providers: SimulatedProviders
    let client: ClientFile
    let clientFilePath: String

    struct Settings: Sendable {
        /// Holds the database, the keys and the client file.
        var directory: String
        var providersAddress = SimulatedProviders.standardAddress
        var controlAddress = SimulatedProviders.standardControlAddress
    }

    static func start(
        _ settings: Settings, _ base: Config, _ printer: PushPrinter, _ logger: Logger
    ) async throws -> DevServer {
        try LocalFile.makeDirectory(settings.directory)
        let providers = try SimulatedProviders(
            providersAddress: settings.providersAddress, changedBy: "--providers",
            controlAddress: settings.controlAddress, group: EventLoopGroup(count: 1, label: "simulator"),
            onPush: printer.print)
        do {
            let config = try config(settings, base, providers)
            let server = try await Server.start(config, logger)
            do {
                await server.owned()
                return try await prepare(settings, config, server, providers)
            } catch {
                await server.stop()
                throw error
            }
        } catch {
            await providers.close()
            throw error
        }
    }

    private static func config(
        _ settings: Settings, _ base: Config, _ providers: SimulatedProviders
    ) throws -> Config {
        let authority = "\(settings.directory)/providers-ca.pem"
        try LocalFile.writePrivately(Array(providers.authorityPEM.utf8), to: authority)
        var config = base
        if config.database.url == nil { config.database.embeddedDirectory = settings.directory }
        config.masterKeyFile = "\(settings.directory)/master.key"
        config.adminTokenFile = "\(settings.directory)/admin.token"
        config.providers.apnsProductionURL = providers.url
        config.providers.apnsSandboxURL = providers.url
        config.providers.fcmURL = providers.url
        config.providers.apnsCAFile = authority
        config.providers.fcmCAFile = authority
        return config
    }

    private static func prepare(
        _ settings: Settings, _ config: Config, _ server: Server, _ providers: SimulatedProviders
    ) async throws -> DevServer {
        let path = "\(settings.directory)/demo.json"
        let former = (try? ClientFile(parsing: LocalFile.read(path))) ?? ClientFile()
        let token = try LocalFile.readText(config.adminTokenFile)
        let admin = APIClient(
            address: try webAddress(server.adminAddress), tls: nil, bearer: token,
            loop: EventLoop(label: "demo"))
        let publicAddress = try webAddress(server.publicAddress)
        let tenant = DemoTenant(admin: admin, providers: providers, former: former)
        var file = try await tenant.prepare(server: publicAddress)
        file.server = publicAddress.description
        file.admin = admin.address.description
        file.adminTokenFile = config.adminTokenFile
        file.simulator = providers.controlURL
        try LocalFile.writePrivately(file.bytes, to: path)
        return DevServer(server: server, providers: providers, client: file, clientFilePath: path)
    }

    private static func webAddress(_ address: SocketAddress) throws -> WebAddress {
        guard let parsed = WebAddress(parsing: "http://\(address)") else {
            throw CommandFailure("`rouse dev` needs listeners on addresses and ports, not on \(address)")
        }
        return parsed
    }

    func stop() async {
        await server.stop()
        await providers.close()
    }
}
