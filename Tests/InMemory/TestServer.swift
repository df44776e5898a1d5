package import API
package import Domain
package import Engine
import EventLoop
package import Gateway
package import HTTP
import Synchronization
package import Telemetry
package import Wire

/// Both listeners, the gateway and two shards in this process, on the database in memory.
package final class TestServer: Sendable {
    package let database = MemoryDatabase()
    package let directory: MemoryDirectoryStore
    package let sealing = PlainSealing()
    package let tenants = TenantDirectory()
    package let credentials: CredentialDirectory
    package let engine: Engine
    package let gateway: Gateway
    package let metrics = MetricRegistry()
    package let sender = RecordingSender()
    package let publicAPI: PublicAPI
    package let adminAPI: AdminAPI
    package let publicServer: HTTPServer
    package let adminServer: HTTPServer
    package let adminToken = "admin-" + Base64URL.encode(SecureRandom.bytes(count: 16))
    package let health = TestHealth()
    package let gate = TestGate()
    private let secret = SecureRandom.bytes(count: 32)
    private let group = EventLoopGroup(count: 2, label: "test")

    /// No time limit that a slow machine could reach.
    package static let patient: HTTPServerSettings = {
        var settings = HTTPServerSettings()
        settings.headerTimeoutMilliseconds = 600_000
        settings.bodyTimeoutMilliseconds = 600_000
        settings.idleTimeoutMilliseconds = 600_000
        return settings
    }()

    /// As `patient`, for the gateway.
    package static let calm: GatewaySettings = {
        var settings = GatewaySettings()
        settings.authenticationMilliseconds = 600_000
        settings.pingMilliseconds = 600_000
        return settings
    }()

    /// As `patient`, for what devices are given to answer: nothing falls due because time passes.
    package static let calmPolicy: Policy = {
        var policy = Policy()
        policy.pushGraceWindow = 86_400_000
        policy.badgeSettleWindow = 86_400_000
        policy.callGrace = 86_400_000
        return policy
    }()

    /// A tenant `demo` with a client key; `policy` and `gateway` may be changed first.
    package init(
        policy: Policy = TestServer.calmPolicy, gateway settings: GatewaySettings = TestServer.calm,
        http: HTTPServerSettings = TestServer.patient
    ) throws {
        directory = MemoryDirectoryStore(database)
        credentials = CredentialDirectory(tenants: tenants, sealing: sealing)
        let registry = TenantRegistry(tenants: tenants, defaults: policy)
        let leaseGuard = LeaseGuard()
        leaseGuard.renewed(askedAt: Clock.now().instant, durationMilliseconds: 86_400_000)
        // As long as a client may be to read why it was closed.
        for loop in group.loops { loop.sync { loop.stallMilliseconds = 600_000 } }
        let schedulers = group.loops.map { LoopScheduling($0) }
        engine = Engine(
            schedulers: schedulers, tenants: tenants, leaseGuard: leaseGuard, directory: directory,
            sender: sender, zones: .test, onFenced: {})
        let failures = AuthenticationFailures()
        gateway = Gateway(
            engine: engine,
            authenticator: GatewayAuthenticator(
                credentials: credentials, failures: failures, metrics: metrics),
            group: group, settings: settings, metrics: metrics, gate: gate,
            clock: { Clock.now() })
        var forClients = PublicAPI.Dependencies(
            engine: engine, credentials: credentials, sealing: sealing, failures: failures,
            metrics: metrics, health: health, clock: { Clock.now() },
            openGateway: { [gateway] request, responder, identity in
                gateway.open(request, responder, identity.map { LinkIdentity($0) })
            })
        forClients.gate = gate
        publicAPI = PublicAPI(forClients)
        let nextKey = KeySource()
        let changeLog = ChangeLog()
        changeList = changeLog
        adminAPI = AdminAPI(
            AdminAPI.Dependencies(
                engine: engine, store: directory, tenants: registry, credentials: credentials,
                secrets: sealing, checker: TestChecker(), adminToken: AdminToken(Array(adminToken.utf8)),
                failures: failures, metrics: metrics, health: health, clock: { Clock.now() },
                allotTenantKey: { nextKey.next() },
                credentialsChanged: { changeLog.add("\($0.raw)/\($1)") }))
        publicServer = try HTTPServer(
            address: .loopback(), group: group, settings: http, renderer: Problem.render,
            responder: publicAPI.respond)
        adminServer = try HTTPServer(
            address: .loopback(), group: group, settings: http, renderer: Problem.render,
            responder: adminAPI.respond)
        registry.load(Self.demo)
        credentials.replaceClientKeys(TenantKey(1), [clientKey])
        let database = database
        let loops = group.loops
        engine.start(epoch: 1) { MemoryShardStore(database, shard: $0, of: loops.count, on: loops[$0]) }
    }

    private let changeList: ChangeLog

    /// `tenant/provider` of each changed credential.
    package var credentialChanges: [String] { changeList.all }

    private static var demo: StoredDirectory {
        var stored = StoredDirectory()
        stored.tenants = [
            StoredTenant(
                key: TenantKey(1), name: TenantID("demo"), policy: Array("{}".utf8),
                createdAt: WallTime(milliseconds: 0))
        ]
        return stored
    }

    private var clientKey: StoredClientKey {
        StoredClientKey(
            tenant: TenantKey(1), kid: "k1", algorithm: "HS256",
            sealed: sealing.seal(secret, for: "client_key/1/k1"))
    }

    /// A fresh API key of the demo tenant.
    package func apiKey() -> String {
        let (key, stored) = APIKey.make(
            TenantKey(1), name: "test", at: Clock.now().wall, sealing: sealing)
        credentials.add(stored)
        return key
    }

    /// A credential of the demo tenant's devices, issued and expiring so many seconds from now.
    package func credential(
        _ user: String, _ device: String, expiresIn seconds: Double = 3_600, issuedIn offset: Double = -100
    ) throws -> String {
        let now = Double(WallClock.now()) / 1_000
        let claims =
            #"{"iss":"demo","sub":"\#(user)","did":"\#(device)","iat":\#(now + offset),"exp":\#(now + seconds)}"#
        return try JWT.sign(claims: Array(claims.utf8), keyID: "k1", with: .hs256(HMACSHA256(key: secret)))
    }

    package func connect(toAdmin: Bool = false) async throws -> TestConnection {
        try await TestConnection.open(
            to: toAdmin ? adminServer.address : publicServer.address, on: group.next())
    }

    /// One call on a connection of its own.
    package func call(
        _ method: HTTPMethod, _ target: String, bearer: String? = nil, body: String? = nil,
        type: String = "application/json", admin: Bool = false
    ) async throws -> TestAnswer {
        let connection = try await connect(toAdmin: admin)
        defer { connection.close() }
        return try await connection.call(method, target, bearer: bearer, body: body, type: type)
    }

    /// A message for users, from alice in `c-1`.
    package static func message(_ id: String, to users: [String], more: String = "") -> String {
        let list = users.map { "\"\($0)\"" }.joined(separator: ",")
        return #"{"message_id":"\#(id)","conversation":{"id":"c-1","kind":"group"},"#
            + #""sender":{"user":"alice"},"recipients":[\#(list)]\#(more)}"#
    }
}

/// Keeps what would be sent, and wakes a test that waits for it.
package final class RecordingSender: PushSending {
    private struct State {
        var requests: [PushRequest] = []
        var waiting: CheckedContinuation<PushRequest, Never>?
    }

    private let state = Mutex(State())

    package func send(_ requests: [PushRequest]) {
        let waiting = state.withLock { state in
            state.requests += requests
            defer { state.waiting = nil }
            return state.waiting
        }
        if let waiting, let first = requests.first { waiting.resume(returning: first) }
    }

    package var all: [PushRequest] { state.withLock { $0.requests } }

    /// The first request, once there is one.
    package func first() async -> PushRequest {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state -> PushRequest? in
                if state.requests.isEmpty { state.waiting = continuation }
                return state.requests.first
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}

/// Open until the test shuts it: the lease has run out.
package final class TestGate: WriteGate {
    private let shut = Atomic<Bool>(false)

    package func close() { shut.store(true, ordering: .relaxed) }

    package var isOpen: Bool { !shut.load(ordering: .relaxed) }
}

/// Health as the test wants it.
package final class TestHealth: HealthReporting {
    private let state = Mutex<(isStandby: Bool, missing: [String])>((false, []))

    package var isStandby: Bool {
        get { state.withLock { $0.isStandby } }
        set { state.withLock { $0.isStandby = newValue } }
    }

    package func setMissing(_ missing: [String]) { state.withLock { $0.missing = missing } }

    package func readiness() async -> Readiness { Readiness(missing: state.withLock { $0.missing }) }
}

private struct TestChecker: ProviderCredentialChecking {
    func summary(of credential: [UInt8], provider: String) throws(ProviderCredentialFault) -> [UInt8] {
        guard let root = try? JSONDocument(parsing: credential).root, let team = root["team_id"]?.string
        else {
            throw ProviderCredentialFault(field: "team_id", problem: "is required")
        }
        return Array(#"{"team_id":"\#(team)"}"#.utf8)
    }

    func row(_ tenant: TenantKey, provider: String) -> String { "p/\(tenant.raw)/\(provider)" }
}

private final class KeySource: Sendable {
    private let last = Atomic<Int64>(100)

    func next() -> TenantKey { TenantKey(last.add(1, ordering: .relaxed).newValue) }
}

private final class ChangeLog: Sendable {
    private let changes = Mutex<[String]>([])

    func add(_ change: String) { changes.withLock { $0.append(change) } }

    var all: [String] { changes.withLock { $0 } }
}
