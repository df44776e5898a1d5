package import Dispatch

/// A serial queue that owns sockets and timers, and runs tasks and actors that ask for it.
/// A connection belongs to one loop for life and needs no lock; its entries assert the loop.
package final class EventLoop: SerialExecutor, TaskExecutor {
    package let label: String
    /// For sources on descriptors that the loop does not own, a library's.
    package let queue: DispatchQueue
    private let possessions: LoopBound<LoopPossessions>
    private static let current = DispatchSpecificKey<ObjectIdentifier>()

    package init(label: String) {
        self.label = label
        queue = DispatchQueue(label: label)
        possessions = LoopBound(unchecked: LoopPossessions(queue: queue), queue: queue)
        queue.setSpecific(key: Self.current, value: ObjectIdentifier(self))
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { @Sendable in
            unsafe job.runSynchronously(
                isolatedTo: self.asUnownedSerialExecutor(), taskExecutor: self.asUnownedTaskExecutor())
        }
    }

    package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    package func assertOnLoop() { dispatchPrecondition(condition: .onQueue(queue)) }

    package var isOnLoop: Bool { DispatchQueue.getSpecific(key: Self.current) == ObjectIdentifier(self) }

    /// Runs the work on the loop, after all that was posted before; from any thread.
    package func post(_ work: sending @escaping () -> Void) {
        let work = LoopBound(unchecked: work, queue: queue)
        queue.async { @Sendable in work.value() }
    }

    /// Waits for the loop; a deadlock when called on it. For set-up and tests.
    package func sync<R: Sendable>(_ work: () throws -> R) rethrows -> R { try queue.sync(execute: work) }

    /// Call on the loop only.
    package var timers: LoopTimers { possessions.value.timers }

    /// What a peer is given, once its connection was closed gracefully, to take what is left for it; then it
    /// is cut off. Call on the loop only.
    package var stallMilliseconds: Int {
        get { possessions.value.stallMilliseconds }
        set { possessions.value.stallMilliseconds = newValue }
    }

    var shared: LoopPossessions { possessions.value }
}

/// What the sockets of one loop share: timers, who is ready, one read buffer, the list of those with
/// something to write.
final class LoopPossessions {
    static let readBufferBytes = 65_536

    let timers: LoopTimers
    let readySet: ReadySet
    var readBuffer = [UInt8](repeating: 0, count: readBufferBytes)
    /// Scratch space for decrypted bytes; a TLS stream takes it for the length of a call.
    var plaintextBuffer: [UInt8] = []
    var stallMilliseconds = 10_000
    private let queue: DispatchQueue
    private var unflushed: [StreamSocket] = []

    init(queue: DispatchQueue) {
        self.queue = queue
        timers = LoopTimers(queue: queue)
        readySet = ReadySet(queue: queue)
    }

    /// Flushes the socket once when the work now queued on the
    /// loop has run: several sends become one system call.
    func flushSoon(_ socket: StreamSocket) {
        unflushed.append(socket)
        guard unflushed.count == 1 else { return }
        let me = LoopBound(unchecked: self, queue: queue)
        queue.async { @Sendable in me.value.flushAll() }
    }

    private func flushAll() {
        let sockets = unflushed
        unflushed = []
        for socket in sockets { socket.flushNow() }
    }
}
