import EventLoop
import Glibc
import Synchronization
import Wire

/// A real `rouse serve` on a private Postgres in the run's
/// directory; can be killed and started again on the same data.
final class ServerProcess: Sendable {
    static let standardProgram = ".build/release/rouse"
    private static let readyMilliseconds = 60_000

    let publicAddress: SocketAddress
    let adminAddress: SocketAddress
    let adminToken: String
    let postgres: PostgresFiles
    private let program: String
    private let directory: String
    private let loop: EventLoop
    private let current = Mutex<Child?>(nil)

    /// Writes the config; starts nothing.
    init(program: String, directory: String, providers: ProviderProcess, on loop: EventLoop) async throws {
        guard LocalFiles.exists(program) else {
            throw LoadtestFailure("\(program) is not there: build it, or name it with --rouse")
        }
        self.program = program
        self.directory = directory
        self.loop = loop
        postgres = PostgresFiles(directory: directory)
        let addresses = try FreePort.addresses(2)
        publicAddress = addresses[0]
        adminAddress = addresses[1]
        adminToken = Hex.encode(SecureRandom.bytes(count: 24))
        try LocalFiles.write(Array(adminToken.utf8), to: "\(directory)/admin.token")
        try LocalFiles.write(Array(config(providers).utf8), to: "\(directory)/rouse.json5")
    }

    var pid: pid_t { current.withLock { $0?.pid ?? 0 } }
    var hasEnded: Bool { current.withLock { $0.map { $0.ending != nil } ?? true } }

    /// Returns when the server says that it is ready.
    func start() async throws(LoadtestFailure) {
        let child = try Child(
            "the server", [program, "serve", "--config", "\(directory)/rouse.json5"],
            output: "\(directory)/server.log")
        current.withLock { $0 = child }
        try await becomeReady()
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
        guard let child = current.withLock({ $0 }) else { return }
        child.signal(SIGKILL)
        guard await child.ended(withinMilliseconds: 5_000) != nil else {
            throw LoadtestFailure("the server outlives kill -9")
        }
    }

    private func config(_ providers: ProviderProcess) -> String {
        let lines = [
            "{", "  public: {listen: \"\(publicAddress)\"},",
            "  admin: {listen: \"\(adminAddress)\", token_file: \"\(directory)/admin.token\"},",
            "  database: {embedded: {directory: \"\(postgres.data)\"}},",
            "  master_key_file: \"\(directory)/master.key\",",
            "  providers: {",
            "    apns: {production_url: \"\(providers.url)\", sandbox_url: \"\(providers.url)\",",
            "           ca_file: \"\(providers.authorityFile)\"},",
            "    fcm: {url: \"\(providers.url)\", ca_file: \"\(providers.authorityFile)\"}", "  }", "}", "",
        ]
        return lines.joined(separator: "\n")
    }
}

/// Ports that nobody uses now; they must stay the same over
/// restarts of the server, so the kernel cannot choose at each.
enum FreePort {
    static func addresses(_ count: Int) throws(SystemError) -> [SocketAddress] {
        let group = EventLoopGroup(count: 1)
        var listeners: [Listener] = []
        for _ in 0..<count {
            listeners.append(
                try Listener(address: .loopback(), group: group) { $0.socket.close(.reset) })
        }
        for listener in listeners { listener.close() }
        return listeners.map(\.address)
    }
}
