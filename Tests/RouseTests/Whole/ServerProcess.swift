import Glibc
import Synchronization
import Testing
import Wire

@testable import Rouse

/// `rouse serve` as a process of its own, so that it can be killed. It ends with
/// this object at the latest: a test that fails leaves no process behind.
final class ServerProcess: Sendable {
    let server: WebAddress
    let admin: WebAddress
    private let child: ChildOfTest

    private init(server: WebAddress, admin: WebAddress, child: ChildOfTest) {
        self.server = server
        self.admin = admin
        self.child = child
    }

    /// Starts the program that was built beside the tests, and returns when it listens.
    static func start(config: String, log: String) async throws -> ServerProcess {
        let child = ChildOfTest(pid: try spawn([try program(), "serve", "--config", config], output: log))
        let line = try await Patience.until("the server's addresses in \(log)") { listening(log) }
        return ServerProcess(
            server: try #require(address(line, "address")),
            admin: try #require(address(line, "admin_address")), child: child)
    }

    /// A file of `/proc` about it.
    func processFile(_ name: String) throws -> String {
        String(decoding: try LocalFile.read("/proc/\(child.pid)/\(name)"), as: UTF8.self)
    }

    /// Ends it as a machine that loses its power would.
    func kill() { child.end(SIGKILL) }

    /// Ends it in order; answers with its exit code.
    @discardableResult func stop() -> Int32 { child.end(SIGTERM) >> 8 & 0xFF }

    private static func listening(_ log: String) -> JSONNode? {
        guard let bytes = try? LocalFile.read(log) else { return nil }
        let lines = bytes.split(separator: 0x0A).compactMap { try? JSONDocument(parsing: Array($0)).root }
        return lines.first { $0["message"]?.string == "listening" }
    }

    private static func address(_ line: JSONNode, _ key: String) -> WebAddress? {
        line[key]?.string.flatMap { WebAddress(parsing: "http://\($0)") }
    }

    /// Tests run from a bundle in the folder of the products.
    private static func program() throws -> String {
        var path = [CChar](repeating: 0, count: 4_096)
        let count = unsafe readlink("/proc/self/exe", &path, path.count)
        try #require(count > 0)
        let own = String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let program = try #require(LocalFile.directory(of: own)) + "/rouse"
        try #require(unsafe access(program, X_OK) == 0, "\(program) is not built")
        return program
    }

    private static func spawn(_ words: [String], output: String) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        let flags = O_WRONLY | O_CREAT | O_TRUNC
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, output, flags, 0o600)
        // The runner waits until everyone has let go of its output.
        unsafe posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        var pid: pid_t = 0
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { for index in words.indices { unsafe free(arguments[index]) } }
        let code = unsafe posix_spawn(&pid, words[0], &actions, nil, &arguments, environ)
        try #require(code == 0)
        return pid
    }
}

/// A child that is ended once, and waited for.
private final class ChildOfTest: Sendable {
    let pid: pid_t
    private let status = Mutex<Int32?>(nil)

    init(pid: pid_t) { self.pid = pid }

    @discardableResult func end(_ signal: Int32) -> Int32 {
        status.withLock { known in
            if let known { return known }
            _ = Glibc.kill(pid, signal)
            var status: Int32 = 0
            while unsafe waitpid(pid, &status, 0) < 0 && errno == EINTR {}
            known = status
            return status
        }
    }

    deinit { end(SIGKILL) }
}
