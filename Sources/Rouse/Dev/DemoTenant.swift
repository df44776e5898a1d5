import Simulator
import Wire

/// The tenant that `rouse dev` makes through the admin API, as an operator would: keys, credentials that the
/// simulated providers know, and one device that is offline.
struct DemoTenant: Sendable {
    static let name = "demo"
    static let topic = "com.example.app"
    static let user = "bob"
    static let tablet = "tablet"
    /// 16 digits at least, as APNs tokens are hexadecimal; nobody's.
    static let tabletToken = "7ab1e70000000001"
    /// Pushes show at once; what merging does is seen with
    /// `rouse tenant policy demo push_merge_window_ms=5000`.
    static let policy = ["push_merge_window_ms": Int64(0)]

    let admin: APIClient
    let providers: SimulatedProviders
    /// What an earlier start left.
    let former: ClientFile
    private var path: String { "/admin/tenants/\(Self.name)" }

    init(admin: APIClient, providers: SimulatedProviders, former: ClientFile) {
        self.admin = admin
        self.providers = providers
        self.former = former
    }

    /// Makes what is missing and renews what lives as long as the simulated providers; answers with its keys.
    func prepare(server: WebAddress) async throws -> ClientFile {
        try await makeTenant()
        var file = former
        file.apiKey = try await apiKey(server)
        file.clientKey = try await clientKey()
        try await giveAPNsCredential()
        try await giveFCMCredential()
        let backend = APIClient(address: server, tls: nil, bearer: file.apiKey, loop: admin.loop)
        try await registerTablet(backend)
        return file
    }

    private func makeTenant() async throws {
        let present = try await admin.call(.get, path)
        guard present.status != 200 else { return }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("tenant", Self.name)
        writer.key("policy")
        writer.beginObject()
        for (key, value) in Self.policy {
            writer.key(escaping: key)
            writer.integer(value)
        }
        writer.endObject()
        writer.endObject()
        try await admin.done(.post, "/admin/tenants", writer.bytes)
    }

    /// The former key while it is good: what a person copied stays valid.
    private func apiKey(_ server: WebAddress) async throws -> String {
        if let key = former.apiKey {
            let backend = APIClient(address: server, tls: nil, bearer: key, loop: admin.loop)
            if try await backend.call(.get, "/v1/users/\(Self.user)/badge").status == 200 { return key }
        }
        let answer = try await admin.json(.post, "\(path)/api_keys", Array(#"{"name":"demo"}"#.utf8))
        guard let key = answer["key"]?.string else {
            throw CommandFailure("the admin listener made an API key and did not show it")
        }
        return key
    }

    private func clientKey() async throws -> ClientKey {
        let key =
            former.clientKey
            ?? ClientKey(tenant: Self.name, keyID: "demo", secret: SecureRandom.bytes(count: 32))
        let body = ClientKeyBody.hs256(key.keyID, Base64URL.encode(key.secret))
        try await admin.done(.put, "\(path)/client_keys", body)
        return key
    }

    /// A key of its own for each start, known to the simulated APNs.
    private func giveAPNsCredential() async throws {
        let key = try ECDSAP256.PrivateKey.generate()
        let teamID = "DEMOTEAM01"
        let keyID = Self.appleID()
        providers.simulator.register(teamID: teamID, keyID: keyID, key.publicKey)
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("team_id", teamID)
        writer.member("key_id", keyID)
        writer.member("private_key", key.pem)
        writer.key("topics")
        writer.beginArray()
        writer.string(Self.topic)
        writer.endArray()
        writer.endObject()
        try await admin.done(.put, "\(path)/providers/apns", writer.bytes)
    }

    private func giveFCMCredential() async throws {
        let key = try await Blocking.run { try RSASHA256.PrivateKey.generate() }
        let email = "demo@demo.iam.gserviceaccount.com"
        providers.simulator.register(clientEmail: email, key.publicKey)
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("service_account")
        writer.beginObject()
        writer.member("type", "service_account")
        writer.member("project_id", "demo")
        writer.member("private_key_id", Hex.encode(SecureRandom.bytes(count: 20)))
        writer.member("private_key", key.pem)
        writer.member("client_email", email)
        writer.member("token_uri", providers.simulator.tokenURL)
        writer.endObject()
        writer.endObject()
        try await admin.done(.put, "\(path)/providers/fcm", writer.bytes)
    }

    private func registerTablet(_ backend: APIClient) async throws {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("tokens")
        writer.beginArray()
        writer.beginObject()
        writer.member("transport", "apns")
        writer.member("token", Self.tabletToken)
        writer.member("topic", Self.topic)
        writer.member("environment", "production")
        writer.endObject()
        writer.endArray()
        writer.endObject()
        try await backend.done(.put, "/v1/users/\(Self.user)/devices/\(Self.tablet)", writer.bytes)
    }

    /// Ten capital letters and digits.
    private static func appleID() -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        let bytes = SecureRandom.bytes(count: 10).map { digits[Int($0 & 31)] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
