import Wire

/// What a client of one server must know, in a file that
/// `rouse dev` leaves behind: addresses, tenant and keys.
struct ClientFile: Equatable, Sendable {
    static let standardPath = "./data/demo.json"

    var server: String?
    var admin: String?
    var adminTokenFile: String?
    var apiKey: String?
    var clientKey: ClientKey?
    var simulator: String?

    init() {}

    init(parsing bytes: [UInt8]) throws(JSONError) {
        let root = try JSONDocument(parsing: bytes).root
        server = root["server"]?.string
        admin = root["admin"]?.string
        adminTokenFile = root["admin_token_file"]?.string
        apiKey = root["api_key"]?.string
        simulator = root["simulator"]?.string
        if let tenant = root["tenant"]?.string, let key = root["client_key"], let keyID = key["kid"]?.string,
            let text = key["secret"]?.string, let secret = Base64URL.decode(text)
        {
            clientKey = ClientKey(tenant: tenant, keyID: keyID, secret: secret)
        }
    }

    var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("server", ifPresent: server)
        writer.member("admin", ifPresent: admin)
        writer.member("admin_token_file", ifPresent: adminTokenFile)
        writer.member("api_key", ifPresent: apiKey)
        writer.member("simulator", ifPresent: simulator)
        if let clientKey {
            writer.member("tenant", clientKey.tenant)
            writer.key("client_key")
            writer.beginObject()
            writer.member("kid", clientKey.keyID)
            writer.member("alg", "HS256")
            writer.member("secret", Base64URL.encode(clientKey.secret))
            writer.endObject()
        }
        writer.endObject()
        return writer.bytes
    }
}
