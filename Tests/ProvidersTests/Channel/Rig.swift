import Domain
import Engine
import EventLoop
import Testing
import Wire

@testable import Providers
@testable import Simulator

/// Senders on one side, simulated providers on the other, TLS in between.
struct Rig {
    static let tenant = TenantKey(3)
    static let apns = ChannelID(tenant: tenant, transport: .apns, environment: .production)
    static let fcm = ChannelID(tenant: tenant, transport: .fcm, environment: .production)

    let group = EventLoopGroup(count: 2)
    let simulator: ProviderSimulator
    let senders: ProviderSenders
    let reporting = TestReporting()
    let store: TestStore
    let settings: ProviderSettings
    let apnsKey: ECDSAP256.PrivateKey

    init(
        _ simulation: SimulatorSettings = SimulatorSettings(), store: TestStore = TestStore(),
        apnsKey: ECDSAP256.PrivateKey? = nil, connections: Int = 1
    ) throws {
        self.store = store
        simulator = try ProviderSimulator(simulation, group: group)
        var settings = try #require(
            ProviderSettings(apnsProduction: simulator.url, apnsSandbox: simulator.url, fcm: simulator.url))
        settings.apnsTrust = .certificates(pem: Array(simulator.authorityPEM.utf8))
        settings.fcmTrust = settings.apnsTrust
        settings.connectionsPerChannel = connections
        settings.timing.firstPause = 8
        settings.timing.longestPause = 64
        // No time limit that a slow machine could reach.
        settings.timing.firstHalt = 86_400_000
        settings.timing.longestHalt = 86_400_000
        settings.requestTimeoutMilliseconds = 600_000
        settings.connectTimeoutMilliseconds = 600_000
        self.settings = settings
        self.apnsKey = try apnsKey ?? .generate()
        simulator.register(teamID: "TEAM123456", keyID: "KEY1234567", self.apnsKey.publicKey)
        senders = try ProviderSenders(
            settings, group: group, shards: 1, store: store, tokens: TestSealing(), secrets: TestSealing())
    }

    func start(apns: Bool = true, fcm: Bool = false) throws {
        var credentials: [StoredProviderCredential] = []
        if apns { credentials.append(try apnsCredential(apnsKey)) }
        if fcm { credentials.append(try fcmCredential()) }
        senders.start(credentials, reporting: reporting)
    }

    func apnsCredential(_ key: ECDSAP256.PrivateKey, keyID: String = "KEY1234567") throws
        -> StoredProviderCredential
    {
        var json = JSONWriter()
        json.beginObject()
        json.member("team_id", "TEAM123456")
        json.member("key_id", keyID)
        json.member("private_key", key.pem)
        json.member("topics", raw: Array(#"["com.example.app"]"#.utf8))
        json.endObject()
        return stored("apns", json.bytes)
    }

    func fcmCredential() throws -> StoredProviderCredential {
        let key = try RSASHA256.PrivateKey.generate()
        simulator.register(clientEmail: "push@demo.iam.gserviceaccount.com", key.publicKey)
        var json = JSONWriter()
        json.beginObject()
        json.key("service_account")
        json.beginObject()
        json.member("type", "service_account")
        json.member("project_id", "demo-project")
        json.member("private_key_id", "k1")
        json.member("private_key", key.pem)
        json.member("client_email", "push@demo.iam.gserviceaccount.com")
        json.member("token_uri", simulator.tokenURL)
        json.endObject()
        json.endObject()
        return stored("fcm", json.bytes)
    }

    private func stored(_ provider: String, _ json: [UInt8]) -> StoredProviderCredential {
        StoredProviderCredential(
            tenant: Self.tenant, provider: provider, summary: [],
            sealed: TestSealing().seal(json, for: SecretRows.credential(Self.tenant, provider: provider)),
            createdAt: WallTime(milliseconds: 0))
    }

    /// A request for a device token, numbered.
    func request(
        _ number: UInt64, token: String = "aa00", channel: ChannelID = Rig.apns, _ drafts: Drafts = Drafts(),
        content: PushDraft.Content? = nil
    ) -> PushRequest {
        var drafts = drafts
        drafts.transport = channel.transport
        drafts.messageID = "m-\(number)"
        let draft = drafts.draft(content ?? .alert(drafts.alert))
        return PushRequest(
            id: RequestID(shard: 0, number: number), channel: channel, tenant: TenantID("demo"),
            user: UserID("bob"),
            draft: draft,
            token: SealedToken(
                digest: draft.token, sealed: Array(token.utf8), keyID: "k", lookup: Array(token.utf8),
                topic: channel.transport == .fcm ? "" : "com.example.app"), fcmForm: .data)
    }
}
