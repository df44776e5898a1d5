import EventLoop
import Glibc
import Synchronization
import Wire

/// What is particular to one server of a run.
struct ServerSettings: Sendable {
    /// Of its files in the run's directory.
    var name = "server"
    /// Where the public listener listens.
    var host = "127.0.0.1"
    /// Nil: a private Postgres in the run's directory.
    var databaseURL: String?
    /// Behind `rouse serve --config FILE`.
    var arguments: [String] = []
    /// Members of the config's `limits`.
    var limits: [String: Int] = [:]

    init() {}
}

/// A real `rouse serve` on a private Postgres in the run's
/// directory; can be killed and started again on the same data.
final class ServerProcess: ServerAccess {
    static let standardProgram = ".build/release/rouse"
    private static let readyMilliseconds = 60_000

    let publicAddress: SocketAddress
    let adminAddress: SocketAddress
    let adminToken: String
    let postgres: PostgresFiles
    private let program: String
    private let directory: String
    private let settings: ServerSettings
    private let loop: EventLoop
    private let current = Mutex<Child?>(nil)

    /// Writes the config; starts nothing.
    init(
        program: String, directory: String, providers: ProviderProcess,
        settings: ServerSettings = ServerSettings(), on loop: EventLoop
    ) async throws {
        guard LocalFiles.exists(program) else {
            throw LoadtestFailure("\(program) is not there: build it, or name it with --rouse")
        }
        self.program = program
        self.directory = directory
        self.settings = settings
        self.loop = loop
        postgres = PostgresFiles(directory: directory)
        let addresses = try FreePort.addresses(2)
        publicAddress = try Self.address(settings.host, port: addresses[0])
        adminAddress = addresses[1]
        adminToken = Hex.encode(SecureRandom.bytes(count: 24))
        try LocalFiles.write(Array(adminToken.utf8), to: "\(directory)/\(settings.name).token")
        try LocalFiles.write(Array(config(providers).utf8), to: configFile)
    }

    private var configFile: String { "\(directory)/\(settings.name).json5" }

    private static func address(_ host: String, port taken: SocketAddress) throws(LoadtestFailure)
        -> SocketAddress
    {
        guard let port = taken.port, let address = SocketAddress(numericHost: host, port: port) else {
            throw LoadtestFailure("\(host) is no numeric address")
        }
        return address
    }

    var pid: pid_t { current.withLock { $0?.pid ?? 0 } }
    var hasEnded: Bool { current.withLock { $0.map { $0.ending != nil } ?? true } }

    /// Returns when the server says that it is ready.
    func start() async throws(LoadtestFailure) {
        try launch()
        try await becomeReady()
    }

    /// Returns at once: a standby is not ready.
    func launch() throws(LoadtestFailure) {
        let child = try Child(
            "the \(settings.name)", [program, "serve", "--config", configFile] + settings.arguments,
            output: "\(directory)/\(settings.name).log")
        current.withLock { $0 = child }
    }

    func signal(_ number: Int32) { current.withLock { $0 }?.signal(number) }

    /// How it ended; nil if it still runs then.
    func ended(withinMilliseconds limit: Int) async -> Child.Ending? {
        await current.withLock { $0 }?.ended(withinMilliseconds: limit)
    }

    func becomeReady() async throws(LoadtestFailure) {
        for _ in 0..<(Self.readyMilliseconds / 10) {
            if hasEnded { throw LoadtestFailure("the server ended by itself") }
            if let answer = try? await WebCall.send(.get, "/readyz", to: publicAddress, on: loop),
                answer.status == 200
            {
                return
            }
            try? await Task.sleep(for: .milliseconds(10))
        }
        throw LoadtestFailure("the server is not ready after \(Self.readyMilliseconds / 1_000) s")
    }

    /// `kill -9`; returns when the process is gone.
    func kill() async throws(LoadtestFailure) {
        guard pid != 0 else { return }
        signal(SIGKILL)
        guard await ended(withinMilliseconds: 5_000) != nil else {
            throw LoadtestFailure("the server outlives kill -9")
        }
    }

    private func config(_ providers: ProviderProcess) -> String {
        let limits = settings.limits.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        let database = settings.databaseURL.map { "{url: \"\($0)\"}" }
        let lines = [
            "{", "  public: {listen: \"\(publicAddress)\"},",
            "  admin: {listen: \"\(adminAddress)\", token_file: \"\(directory)/\(settings.name).token\"},",
            "  database: \(database ?? "{embedded: {directory: \"\(postgres.data)\"}}"),",
            "  master_key_file: \"\(directory)/master.key\",", "  limits: {\(limits)},",
            "  providers: {",
            "    apns: {production_url: \"\(providers.url)\", sandbox_url: \"\(providers.url)\",",
            "           ca_file: \"\(providers.authorityFile)\"},",
            "    fcm: {url: \"\(providers.url)\", ca_file: \"\(providers.authorityFile)\"}", "  }", "}", "",
        ]
        return lines.joined(separator: "\n")
    }
}

/// Ports that nobody uses now; they must stay the same over restarts of the server, so the kernel cannot
/// choose at each. They lie below those that it gives to outgoing connections, which would take them
/// meanwhile.
enum FreePort {
    private static let range: ClosedRange<UInt16> = 12_000...32_000
    private static let attempts = 200

    static func addresses(_ count: Int) throws(LoadtestFailure) -> [SocketAddress] {
        let group = EventLoopGroup(count: 1)
        var listeners: [Listener] = []
        for _ in 0..<attempts where listeners.count < count {
            let address = SocketAddress.loopback(port: UInt16.random(in: range))
            let listener = try? Listener(address: address, group: group) { $0.socket.close(.reset) }
            if let listener { listeners.append(listener) }
        }
        for listener in listeners { listener.close() }
        guard listeners.count == count else { throw LoadtestFailure("no port from \(range) is free") }
        return listeners.map(\.address)
    }
}
