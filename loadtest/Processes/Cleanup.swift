import Dispatch
import EventLoop
import Glibc
import Synchronization

/// What a run must not leave behind: processes, directories, and what else it changed about the machine;
/// ended, removed and undone also after ^C or a failure.
enum Cleanup {
    private struct Kept {
        var children: [Child] = []
        var directories: [String] = []
        var undoings: [@Sendable () async -> Void] = []
        /// Nothing is started any more.
        var isOver = false
        /// A source that nobody keeps never fires.
        var signals: [LoopBound<any DispatchSourceSignal>] = []
    }

    private static let kept = Mutex(Kept())
    private static let interruptions = Atomic<Int>(0)
    private static let signalLoop = EventLoop(label: "signals")
    private static let gentleMilliseconds = 15_000

    static func end(_ child: Child) {
        let isTooLate = kept.withLock { kept in
            kept.children.append(child)
            return kept.isOver
        }
        if isTooLate { child.signal(SIGKILL) }
    }

    /// Runs after the processes have ended and before the directories go, the newest first.
    static func undo(_ undoing: @escaping @Sendable () async -> Void) {
        kept.withLock { $0.undoings.append(undoing) }
    }

    static func remove(directory: String) { kept.withLock { $0.directories.append(directory) } }

    /// The first signal cleans up and ends us as a shell expects; the second ends us at once.
    static func watchSignals() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: signalLoop.queue)
            source.setEventHandler { @Sendable in interrupted(by: number) }
            source.activate()
            let bound = LoopBound(sending: source, to: signalLoop)
            kept.withLock { $0.signals.append(bound) }
        }
    }

    private static func interrupted(by number: Int32) {
        guard interruptions.add(1, ordering: .relaxed).oldValue == 0 else { _exit(128 + number) }
        Progress.say("stopping")
        Task.detached {
            await clean()
            _exit(128 + number)
        }
    }

    /// The normal end, or that of a failed run, whose logs are shown. After a signal it does not return: the
    /// signal's own cleaning ends the process, and the run fails only because its servers go.
    static func run(failed: Bool = false) async {
        while interruptions.load(ordering: .relaxed) > 0 { try? await Task.sleep(for: .seconds(1)) }
        if failed { for directory in kept.withLock({ $0.directories }) { showLogs(in: directory) } }
        await clean()
    }

    /// Ends the newest first: the server before the providers it speaks to.
    private static func clean() async {
        let (children, directories, undoings) = kept.withLock { kept in
            defer { kept = Kept(isOver: true, signals: kept.signals) }
            return (kept.children, kept.directories, kept.undoings)
        }
        for child in children.reversed() where child.ending == nil {
            child.signal(SIGTERM)
            // One that was stopped must run to end.
            child.signal(SIGCONT)
            if await child.ended(withinMilliseconds: gentleMilliseconds) == nil {
                Progress.say("\(child.name) does not stop and is killed")
                child.signal(SIGKILL)
                _ = await child.ended(withinMilliseconds: 2_000)
            }
        }
        for undoing in undoings.reversed() { await undoing() }
        for directory in directories {
            await endPostgres(in: directory)
            let words = ["/bin/rm", "-rf", "--", directory]
            let remover = try? Child("rm", words, output: "/dev/null", endsWithRun: false)
            _ = await remover?.ended(withinMilliseconds: 30_000)
        }
    }

    /// A private Postgres whose server was killed ends by itself, soon.
    private static func endPostgres(in directory: String) async {
        guard let pid = PostgresFiles(directory: directory).postmaster else { return }
        for attempt in 0..<1_000 where LocalFiles.exists("/proc/\(pid)") {
            if attempt == 500 { kill(pid, SIGQUIT) }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    private static func showLogs(in directory: String) {
        for name in LocalFiles.names(in: directory) where name.hasSuffix(".log") {
            let lines = (LocalFiles.readText("\(directory)/\(name)") ?? "").split(separator: "\n").suffix(12)
            if !lines.isEmpty { Progress.say("the end of \(name):\n\(lines.joined(separator: "\n"))") }
        }
    }
}
