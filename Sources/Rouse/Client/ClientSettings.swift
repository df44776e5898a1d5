import EventLoop
import Wire

/// Where the server is and with which keys to speak to it: options first, then the
/// environment, then the file that `rouse dev` left, then the standard addresses.
struct ClientSettings: Sendable {
    static let serverOption = CommandOption.value(
        "server", "URL", "The public listener (ROUSE_SERVER; http://127.0.0.1:8080)")
    static let adminOption = CommandOption.value(
        "admin", "URL", "The admin listener (ROUSE_ADMIN; http://127.0.0.1:8081)")
    static let adminTokenOption = CommandOption.value(
        "admin-token-file", "FILE", "Holds the admin token (ROUSE_ADMIN_TOKEN_FILE)")
    static let apiKeyOption = CommandOption.value(
        "api-key-file", "FILE", "Holds the API key (ROUSE_API_KEY holds the key itself)")
    static let clientOption = CommandOption.value(
        "client", "FILE", "Addresses and keys, as `rouse dev` leaves them (\(ClientFile.standardPath))")
    static let caOption = CommandOption.value("ca-file", "FILE", "Trust these certificates (PEM) for https")
    static let jsonOption = CommandOption.flag("json", "Print JSON as the server gives it")

    private let arguments: Arguments
    private let environment: [String: String]
    private let file: ClientFile
    private let filePath: String
    private let loop: EventLoop

    init(_ arguments: Arguments, environment: [String: String] = ProcessEnvironment.variables) throws {
        self.arguments = arguments
        self.environment = environment
        filePath = arguments["client"] ?? ClientFile.standardPath
        file = try Self.file(filePath, isDemanded: arguments.has("client"))
        loop = EventLoop(label: "client")
    }

    private static func file(_ path: String, isDemanded: Bool) throws -> ClientFile {
        do {
            return try ClientFile(parsing: LocalFile.read(path))
        } catch let failure as LocalFile.Failure where failure.isMissing && !isDemanded {
            return ClientFile()
        } catch let error as JSONError {
            throw CommandFailure("\(path): \(error)")
        }
    }

    var clientLoop: EventLoop { loop }

    /// Where a device of this client keeps what it knows: beside the client file; nil if there is none.
    var stateDirectory: String? {
        file == ClientFile() ? nil : (LocalFile.directory(of: filePath) ?? ".") + "/devices"
    }

    func serverAddress() throws -> WebAddress {
        try address("server", "ROUSE_SERVER", file.server, "http://127.0.0.1:8080")
    }

    func tls(_ address: WebAddress) throws -> TLSContext? {
        guard address.isSecure else { return nil }
        let trust = arguments["ca-file"].map { TLSContext.Trust.file($0) } ?? .system
        do { return try TLSContext.client(trust: trust, protocols: []) } catch {
            throw CommandFailure("TLS: \(error)")
        }
    }

    /// The public listener as a backend.
    func backend() throws -> APIClient {
        var key = environment["ROUSE_API_KEY"] ?? file.apiKey
        if let path = arguments["api-key-file"] { key = try LocalFile.readText(path) }
        guard let key else {
            throw CommandFailure("no API key: give --api-key-file, set ROUSE_API_KEY, or start `rouse dev`")
        }
        return try client(serverAddress(), bearer: key)
    }

    /// The public listener as a device.
    func device(_ credential: String) throws -> APIClient { try client(serverAddress(), bearer: credential) }

    /// The admin listener.
    func admin() throws -> APIClient {
        let address = try address("admin", "ROUSE_ADMIN", file.admin, "http://127.0.0.1:8081")
        let path =
            arguments["admin-token-file"] ?? environment["ROUSE_ADMIN_TOKEN_FILE"] ?? file.adminTokenFile
            ?? Config().adminTokenFile
        return try client(address, bearer: LocalFile.readText(path))
    }

    /// The tenant: an option, the environment, the file.
    func tenant() throws -> String {
        guard let tenant = arguments["tenant"] ?? environment["ROUSE_TENANT"] ?? file.clientKey?.tenant else {
            throw arguments.problem("option --tenant is missing")
        }
        return tenant
    }

    /// The client key that signs for devices: from options and environment, or the file's.
    func clientKey() throws -> ClientKey {
        var text = environment["ROUSE_CLIENT_SECRET"]
        if let path = arguments["client-secret-file"] { text = try LocalFile.readText(path) }
        guard let text else {
            guard let key = file.clientKey else {
                throw CommandFailure(
                    "no client key: give --client-secret-file, set ROUSE_CLIENT_SECRET, or start `rouse dev`")
            }
            return key
        }
        guard let secret = Base64URL.decode(text) else {
            throw CommandFailure("the client secret is no base64url")
        }
        return ClientKey(tenant: try tenant(), keyID: arguments["kid"] ?? "default", secret: secret)
    }

    private func client(_ address: WebAddress, bearer: String) throws -> APIClient {
        APIClient(address: address, tls: try tls(address), bearer: bearer, loop: loop)
    }

    private func address(
        _ option: String, _ variable: String, _ filed: String?, _ standard: String
    ) throws -> WebAddress {
        let text = arguments[option] ?? environment[variable] ?? filed ?? standard
        guard let address = WebAddress(parsing: text) else {
            throw arguments.problem("\(text) is no http or https address")
        }
        return address
    }
}
