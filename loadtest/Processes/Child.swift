import Glibc
import Synchronization

/// A process that the run started, in a process group of its own: ^C in a terminal is ours alone.
final class Child: Sendable {
    /// How a process ended, and the processor time it took.
    struct Ending: Equatable, Sendable {
        /// Zero means success; a negative number is the signal that killed it.
        let code: Int32
        let cpuSeconds: Double
    }

    let name: String
    let pid: pid_t
    private let known = Mutex<Ending?>(nil)

    /// - Parameters:
    ///   - output: a file that takes both output streams, appending.
    ///   - input: a file, or a FIFO that somebody holds open.
    init(
        _ name: String, _ arguments: [String], input: String = "/dev/null", output: String,
        endsWithRun: Bool = true
    ) throws(LoadtestFailure) {
        self.name = name
        pid = try Self.spawn(arguments, input: input, output: output)
        if endsWithRun { Cleanup.end(self) }
    }

    func signal(_ number: Int32) {
        if ending == nil { kill(pid, number) }
    }

    /// Nil while it runs.
    var ending: Ending? {
        known.withLock { known in
            if known == nil { known = Self.reap(pid) }
            return known
        }
    }

    /// Waits for the end; nil if it still runs then.
    func ended(withinMilliseconds limit: Int) async -> Ending? {
        for _ in 0..<max(1, limit / 5) {
            if let ending { return ending }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return ending
    }

    private static func reap(_ pid: pid_t) -> Ending? {
        var status: Int32 = 0
        var usage = rusage()
        guard unsafe wait4(pid, &status, WNOHANG, &usage) == pid else { return nil }
        let signal = status & 0x7f
        let times = [usage.ru_utime, usage.ru_stime]
        return Ending(
            code: signal == 0 ? (status >> 8) & 0xff : -signal,
            cpuSeconds: times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 })
    }

    // MARK: Starting

    private static func spawn(_ arguments: [String], input: String, output: String) throws(LoadtestFailure)
        -> pid_t
    {
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        resetSignals(&attributes)
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var pid: pid_t = 0
        var argv = unsafe arguments.map { unsafe strdup($0) } + [nil]
        var environment = unsafe minimalEnvironment.map { unsafe strdup($0) } + [nil]
        defer { _ = unsafe (argv + environment).map { unsafe free($0) } }
        let code = unsafe posix_spawnp(&pid, arguments[0], &actions, &attributes, &argv, &environment)
        guard code == 0 else {
            throw LoadtestFailure("cannot run \(arguments[0]): \(unsafe String(cString: strerror(code)))")
        }
        return pid
    }

    /// Nothing of ours: no `ROUSE_…` may reach the server.
    private static let minimalEnvironment = ["PATH=/usr/bin:/bin:/usr/local/bin", "LC_ALL=C", "TZ=UTC"]

    /// Dispatch's threads block signals, and a child would inherit that.
    private static func resetSignals(_ attributes: inout posix_spawnattr_t) {
        var none = sigset_t()
        var all = sigset_t()
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    }
}
