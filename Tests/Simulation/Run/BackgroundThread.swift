import Foundation

/// Runs what needs the processor for long on a thread of its own, and behind all others: the tests' common
/// threads are few, and tests with sockets and real servers wait on them.
enum BackgroundThread {
    static func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            let thread = Thread {
                // On Linux the priority is the thread's own; 0 names the one that calls.
                _ = setpriority(__priority_which_t(0), 0, 15)
                continuation.resume(returning: work())
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }
}
