import Dispatch
import Glibc
import Synchronization

/// SIGTERM and SIGINT as calls.
enum Signals {
    private static let queue = DispatchQueue(label: "signals")
    /// Keeps the sources: one that nobody retains is cancelled in silence.
    private static let sources = Mutex<[SourceBox]>([])

    /// Sources are thread safe by Dispatch's own word; their protocol does not say so.
    private struct SourceBox: @unchecked Sendable { let source: any DispatchSourceSignal }

    /// A gate that the first signal opens, also one that comes
    /// before anyone waits; the second ends the process.
    static func stopping() -> Gate {
        let gate = Gate()
        onStop { gate.open() }
        return gate
    }

    /// Returns at the first signal; the second ends the process at once.
    static func stopped() async { await stopping().wait() }

    /// Calls `stop` at the first signal; the second ends the process at once.
    static func onStop(_ stop: @escaping @Sendable () -> Void) {
        let counter = SignalCounter(stop: stop)
        for number in [SIGTERM, SIGINT] { watch(number) { counter.received() } }
    }

    /// Calls `reload` at each SIGHUP.
    static func onReload(_ reload: @escaping @Sendable () -> Void) { watch(SIGHUP, reload) }

    private static func watch(_ number: Int32, _ received: @escaping @Sendable () -> Void) {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler { @Sendable in received() }
        source.activate()
        sources.withLock { $0.append(SourceBox(source: source)) }
    }
}

private final class SignalCounter: Sendable {
    private let seen = Mutex(0)
    private let stop: @Sendable () -> Void

    init(stop: @escaping @Sendable () -> Void) {
        self.stop = stop
    }

    func received() {
        let count = seen.withLock { seen in
            seen += 1
            return seen
        }
        if count == 1 { return stop() }
        // The person insists; 130 is what a shell calls an interrupted program.
        _exit(130)
    }
}
