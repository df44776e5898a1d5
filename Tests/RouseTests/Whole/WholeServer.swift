import Domain
import EventLoop
import Simulator
import Telemetry
import Testing
import Wire

@testable import Rouse

/// The whole of Rouse in this process, on ports that the kernel chose, with a private Postgres and simulated
/// providers. One for all tests of a suite: each takes users and device tokens of its own.
struct WholeServer: Sendable {
    /// The one of the present suite, if it has the trait `.wholeServer`.
    @TaskLocal private static var present: WholeServer?

    let dev: DevServer
    let backend: APIClient
    let admin: APIClient
    let loop: EventLoop
    let directory: String

    static func running() throws -> WholeServer { try #require(present) }

    /// Starts all, runs the body, stops all.
    static func around(
        _ lease: Config.Lease, _ body: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let whole = try await Patience.until("a server that owns its data") { try await started(lease) }
        do { try await $present.withValue(whole) { try await body() } } catch {
            await whole.stop()
            throw error
        }
        await whole.stop()
    }

    /// Nil: a slow machine lost a short lease before the demo tenant was there.
    private static func started(_ lease: Config.Lease) async throws -> WholeServer? {
        let directory = try FreshDirectory.make()
        do { return try await WholeServer(lease, in: directory) } catch {
            FreshDirectory.remove(directory)
            let problem = (error as? CommandFailure)?.problem ?? ""
            guard problem.hasPrefix("the server answers 503") else { throw error }
            return nil
        }
    }

    private init(_ lease: Config.Lease, in directory: String) async throws {
        self.directory = directory
        var settings = DevServer.Settings(directory: directory)
        settings.providersAddress = "127.0.0.1:0"
        settings.controlAddress = "127.0.0.1:0"
        var config = Config()
        config.publicListener.listen = "127.0.0.1:0"
        config.adminListener.listen = "127.0.0.1:0"
        config.lease = lease
        config.limits.eventLoops = 2
        config.limits.auditPauseMilliseconds = 50
        // However slow the machine, nothing falls due because a device has not answered in time.
        config.policy.pushGraceWindow = 86_400_000
        config.policy.badgeSettleWindow = 86_400_000
        config.policy.callGrace = 86_400_000
        let silent = Terminal(out: { _ in }, err: { _ in })
        dev = try await DevServer.start(settings, config, PushPrinter(terminal: silent, form: .none), .silent)
        loop = EventLoop(label: "test client")
        let server = try Self.address(dev.client.server)
        backend = APIClient(address: server, tls: nil, bearer: dev.client.apiKey, loop: loop)
        admin = APIClient(
            address: try Self.address(dev.client.admin), tls: nil,
            bearer: try LocalFile.readText(dev.client.adminTokenFile ?? ""), loop: loop)
    }

    private static func address(_ text: String?) throws -> WebAddress {
        try #require(text.flatMap { WebAddress(parsing: $0) })
    }

    private func stop() async {
        await dev.stop()
        FreshDirectory.remove(directory)
    }
}

extension WholeServer {
    /// Sends a direct message from alice.
    func send(_ id: String, to user: String, text: String = "hello") async throws -> JSONNode {
        let words = ["--to", user, "--id", id, text]
        let draft = try MessageDraft(Arguments(words, of: Commands.send))
        return try await backend.json(.post, "/v1/messages", draft.bytes)
    }

    func register(_ device: String, of user: String, apnsToken: String?) async throws {
        var words = ["--user", user, "--device", device, "--offline"]
        if let apnsToken { words += ["--apns-token", apnsToken] }
        let registration = try Registration(Arguments(words, of: Commands.device))
        try await backend.done(.put, "/v1/users/\(user)/devices/\(device)", registration?.bytes)
    }

    func registerAndroid(_ device: String, of user: String, token: String) async throws {
        let words = ["--user", user, "--device", device, "--fcm-token", token]
        let registration = try Registration(Arguments(words, of: Commands.device))
        try await backend.done(.put, "/v1/users/\(user)/devices/\(device)", registration?.bytes)
    }

    func connect(
        _ device: String, of user: String, applies: Bool = true, answers: Bool = false
    ) throws -> ConnectedDevice {
        let key = try #require(dev.client.clientKey)
        return ConnectedDevice(
            backend.address, key, user: user, device: device, applies: applies, answers: answers, loop: loop)
    }

    func pushes(to token: String) -> [SimulatedPush] { dev.providers.simulator.pushes(token: token) }

    /// Returns once the simulator holds that many pushes to a token.
    func waitForPushes(_ count: Int, to token: String) async throws -> [SimulatedPush] {
        try await Patience.until("\(count) pushes to \(token)") {
            let found = pushes(to: token)
            return found.count >= count ? found : nil
        }
    }

    /// Returns once a device's explanation has this state.
    func waitForState(
        _ state: String, of device: String, _ message: String, _ user: String
    ) async throws -> JSONNode {
        try await Patience.until("\(message) being \(state) for \(device)") {
            let trace = try await backend.json(.get, "/v1/messages/\(message)/trace?user=\(user)")
            return trace["devices"]?.elements.first {
                $0["device"]?.string == device && $0["state"]?.string == state
            }
        }
    }
}

/// Waits for what comes from another thread or process: asks again until there is an answer.
enum Patience {
    /// Long, since a machine may be slow; reached only by a test that fails.
    private static let milliseconds: Int64 = 120_000

    static func until<Value>(_ what: String, _ look: () async throws -> Value?) async throws -> Value {
        let deadline = MonotonicClock.nowMilliseconds() + milliseconds
        while MonotonicClock.nowMilliseconds() < deadline {
            if let value = try await look() { return value }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw CommandFailure("there is still no sign of \(what)")
    }
}

/// Gives a suite one whole server for all its tests.
struct WholeServerTrait: SuiteTrait, TestScoping {
    let lease: Config.Lease

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await WholeServer.around(lease, function)
    }
}

extension Trait where Self == WholeServerTrait {
    /// With a lease that no slow machine can lose.
    static var wholeServer: Self {
        Self(lease: Config.Lease(durationMilliseconds: 600_000, renewMilliseconds: 60_000))
    }

    /// With the lease of every server, for tests that wait for its end.
    static var wholeServerOnShortLease: Self { Self(lease: Config.Lease()) }
}
