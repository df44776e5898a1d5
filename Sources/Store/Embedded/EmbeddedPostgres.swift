import Glibc
import Synchronization

/// A private Postgres: made, started, watched, restarted after a crash, and stopped by this process.
///
/// It ends with us, whatever ends us: its parent thread lives as long as
/// it runs, and the kernel interrupts it when that thread is gone.
package final class EmbeddedPostgres: Sendable {
    package enum State: Sendable, Equatable {
        case stopped
        case starting
        case running(pid: Int32)
        /// It ended by itself and is started again after this pause.
        case restarting(afterMilliseconds: Int)
    }

    private struct Shared {
        var state = State.stopped
        var isStopping = false
        var lock: Int32?
        /// Why the program could not even be started.
        var failure: EmbeddedPostgresError?
    }

    static let readyTimeoutMilliseconds = 60_000
    static let stopTimeoutMilliseconds = 30_000

    private let cluster: PostgresCluster
    private let shared = Mutex(Shared())
    private let stateChanged: @Sendable (State) -> Void

    /// - Parameters:
    ///   - directory: made if it is not there; one server at a time may use it.
    ///   - isDurable: false gives up the data at a crash of the machine for speed; for tests.
    ///   - stateChanged: called from the watching thread at each change.
    package init(
        directory: String, isDurable: Bool = true,
        stateChanged: @escaping @Sendable (State) -> Void = { _ in }
    ) throws(EmbeddedPostgresError) {
        cluster = try PostgresCluster(directory: directory, installation: .find(), isDurable: isDurable)
        self.stateChanged = stateChanged
    }

    package var state: State { shared.withLock { $0.state } }

    /// How to reach it once it runs.
    package var endpoint: PostgresConfiguration.Endpoint {
        .socket(directory: cluster.run, user: PostgresCluster.role, database: "postgres")
    }

    /// Blocks until Postgres answers; the first time it also makes the cluster, about a second.
    package func start() throws(EmbeddedPostgresError) {
        try takeDirectory()
        endLeftover()
        set(.starting)
        do {
            try cluster.prepare()
            let first = try launch()
            try waitUntilReady(first)
        } catch {
            stop()
            throw error
        }
    }

    /// Blocks until Postgres has ended: open sessions are cut, committed data is on disk.
    package func stop() {
        let state = shared.withLock { shared in
            shared.isStopping = true
            return shared.state
        }
        if case .running(let pid) = state { end(pid) }
        _ = wait(Self.stopTimeoutMilliseconds) { self.state == .stopped || self.state == .starting }
        shared.withLock { shared in
            if let lock = shared.lock { close(lock) }
            shared.lock = nil
            shared.state = .stopped
        }
    }

    // MARK: Watching

    /// Starts the watching thread and answers with the first process.
    private func launch() throws(EmbeddedPostgresError) -> pid_t {
        DedicatedThread.start { [self] in watch() }
        _ = wait(Self.readyTimeoutMilliseconds) {
            self.shared.withLock { $0.state != .starting || $0.failure != nil }
        }
        let (state, failure) = shared.withLock { ($0.state, $0.failure) }
        if let failure { throw failure }
        guard case .running(let pid) = state else { throw .notReady(log: cluster.log) }
        return pid
    }

    /// Runs Postgres again and again until it is stopped on purpose; the pause doubles with each early end.
    private func watch() {
        var pause = RestartPause()
        while true {
            let child: ChildProcess
            do { child = try cluster.start() } catch {
                shared.withLock { $0.failure = error }
                return set(.stopped)
            }
            set(.running(pid: child.pid))
            pause.started(at: MonotonicMilliseconds.now)
            if shared.withLock({ $0.isStopping }) { kill(child.pid, SIGINT) }
            _ = child.wait()
            if shared.withLock({ $0.isStopping }) { return set(.stopped) }
            let milliseconds = pause.ended(at: MonotonicMilliseconds.now)
            set(.restarting(afterMilliseconds: milliseconds))
            guard !wait(milliseconds, until: { self.shared.withLock { $0.isStopping } }) else {
                return set(.stopped)
            }
            endLeftover()
        }
    }

    private func set(_ state: State) {
        shared.withLock { $0.state = state }
        stateChanged(state)
    }

    // MARK: Beginning and end

    private func takeDirectory() throws(EmbeddedPostgresError) {
        do {
            try LocalFiles.makeDirectory(cluster.directory, mode: 0o755)
            guard let lock = try LocalFiles.lock(cluster.lock) else {
                throw EmbeddedPostgresError.inUse(directory: cluster.directory)
            }
            shared.withLock { shared in
                shared.lock = lock
                shared.isStopping = false
                shared.failure = nil
            }
        } catch let failure as LocalFiles.Failure {
            throw .directory(path: failure.path, problem: failure.text)
        } catch let failure as EmbeddedPostgresError {
            throw failure
        } catch {
            throw .directory(path: cluster.directory, problem: "cannot be used")
        }
    }

    /// We hold the directory's lock, so a postmaster that still runs in it has outlived its server.
    private func endLeftover() {
        guard let pid = cluster.postmaster?.pid, isPostgres(pid) else { return }
        end(pid)
    }

    /// Fast shutdown; if that takes too long, an immediate one (which recovers at the next start).
    private func end(_ pid: pid_t) {
        kill(pid, SIGINT)
        if !wait(Self.stopTimeoutMilliseconds, until: { !self.isPostgres(pid) }) { kill(pid, SIGQUIT) }
    }

    /// False for a process that has ended, is a zombie, or took over the number.
    private func isPostgres(_ pid: pid_t) -> Bool {
        guard let name = try? LocalFiles.read("/proc/\(pid)/cmdline") else { return false }
        return String(decoding: name, as: UTF8.self).contains("postgres")
    }

    private func waitUntilReady(_ pid: pid_t) throws(EmbeddedPostgresError) {
        let ready = wait(Self.readyTimeoutMilliseconds) {
            if case .restarting = self.state { return true }
            return self.cluster.postmaster.map { $0.pid == pid && $0.isReady } ?? false
        }
        guard ready, case .running = state else { throw .notReady(log: cluster.log) }
    }

    /// Looks every few milliseconds; only start and stop wait like this.
    private func wait(_ milliseconds: Int, until condition: () -> Bool) -> Bool {
        let deadline = MonotonicMilliseconds.now + milliseconds
        while !condition() {
            guard MonotonicMilliseconds.now < deadline else { return false }
            usleep(5_000)
        }
        return true
    }
}
