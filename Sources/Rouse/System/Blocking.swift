import Dispatch

/// What waits for the kernel or a process runs on a queue of its own, never in the pool of the tasks.
enum Blocking {
    private static let queue = DispatchQueue(label: "blocking")

    static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { @Sendable in continuation.resume(with: Result { try work() }) }
        }
    }
}
