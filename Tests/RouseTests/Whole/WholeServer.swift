import EventLoop
import Simulator
import Synchronization
import Telemetry
import Wire

@testable import Rouse

/// The whole of Rouse in this process, on ports that the kernel chose, with a private Postgres and simulated
/// providers; gone when the test is over.
struct WholeServer: Sendable {
    let dev: DevServer
    let backend: APIClient
    let admin: APIClient
    let loop: EventLoop
    private let directory: String

    var pushes: [SimulatedPush] { dev.providers.simulator.pushes() }

    /// Starts all, runs the body, stops all.
    static func run(_ body: (WholeServer) async throws -> Void) async throws {
        let whole = try await WholeServer()
        do { try await body(whole) } catch {
            await whole.stop()
            throw error
        }
        await whole.stop()
    }

    private init() async throws {
        directory = try FreshDirectory.make()
        var settings = DevServer.Settings(directory: directory)
        settings.providersAddress = "127.0.0.1:0"
        settings.controlAddress = "127.0.0.1:0"
        var config = Config()
        config.publicListener.listen = "127.0.0.1:0"
        config.adminListener.listen = "127.0.0.1:0"
        config.limits.eventLoops = 2
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
        guard let address = WebAddress(parsing: text ?? "") else { throw CommandFailure("no address") }
        return address
    }

    private func stop() async {
        await dev.stop()
        FreshDirectory.remove(directory)
    }

    /// Sends a direct message from alice.
    func send(_ id: String, to user: String, text: String = "hello") async throws -> JSONNode {
        let words = ["--to", user, "--id", id, text]
        let draft = try MessageDraft(Arguments(words, of: Commands.send))
        return try await backend.json(.post, "/v1/messages", draft.bytes)
    }

    func register(_ device: String, of user: String, apnsToken: String) async throws {
        let words = ["--user", user, "--device", device, "--apns-token", apnsToken]
        let registration = try Registration(Arguments(words, of: Commands.device))
        try await backend.done(.put, "/v1/users/\(user)/devices/\(device)", registration?.bytes)
    }

    func explain(_ message: String, _ user: String) async throws -> JSONNode {
        try await backend.json(.get, "/v1/messages/\(message)/trace?user=\(user)")
    }

    /// Returns once the simulator holds that many pushes to a token.
    func waitForPushes(_ count: Int, to token: String) async throws -> [SimulatedPush] {
        try await eventually("\(count) pushes to \(token)") {
            let found = dev.providers.simulator.pushes(token: token)
            return found.count >= count ? found : nil
        }
    }

    /// Asks again until there is an answer: what is waited for
    /// comes from another thread, and a machine may be slow.
    func eventually<Value>(
        _ what: String, _ look: () async throws -> Value?
    ) async throws -> Value {
        let deadline = MonotonicClock.nowMilliseconds() + 60_000
        while MonotonicClock.nowMilliseconds() < deadline {
            if let value = try await look() { return value }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw CommandFailure("there is still no sign of \(what)")
    }

    func connect(_ device: String, of user: String, applies: Bool = true) throws -> ConnectedDevice {
        guard let key = dev.client.clientKey else { throw CommandFailure("no client key") }
        return ConnectedDevice(
            backend.address, key, user: user, device: device, applies: applies, loop: loop)
    }
}

/// A device with a connection, and what it was told.
final class ConnectedDevice: Sendable {
    private let session: LoopBound<DeviceSession>
    private let loop: EventLoop
    private let received: Received
    private let ended: Gate

    init(
        _ address: WebAddress, _ key: ClientKey, user: String, device: String, applies: Bool, loop: EventLoop
    ) {
        let received = Received()
        let ended = Gate()
        self.received = received
        self.ended = ended
        self.loop = loop
        var behaviour = DeviceSession.Behaviour()
        behaviour.applies = applies
        session = loop.sync { [behaviour] in
            let session = DeviceSession(
                address: address, tls: nil, loop: loop, behaviour: behaviour, place: nil,
                credential: {
                    try key.credential(user: user, device: device, now: WallClock.now() / 1_000)
                },
                notice: { received.take($0) }, ended: { ended.open() })
            session.start()
            return LoopBound(session, on: loop)
        }
    }

    func frames(_ type: String) -> [JSONNode] { received.frames.filter { $0["type"]?.string == type } }

    func stop() async {
        loop.post { [session] in session.value.stop() }
        await ended.wait()
    }
}

/// The frames of a connection, in order.
private final class Received: Sendable {
    private let all = Mutex<[[UInt8]]>([])

    var frames: [JSONNode] { all.withLock { $0 }.compactMap { try? JSONDocument(parsing: $0).root } }

    func take(_ notice: DeviceSession.Notice) {
        if case .frame(let bytes) = notice { all.withLock { $0.append(bytes) } }
    }
}
