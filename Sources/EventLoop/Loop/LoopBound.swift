import Dispatch

/// A value that only its loop's thread may touch; reading it elsewhere traps.
/// `@unchecked` because the queue, not the type system, serialises access, and `value` checks the queue.
package struct LoopBound<Value>: @unchecked Sendable {
    private let bound: Value
    private let queue: DispatchQueue

    /// Call on the loop.
    package init(_ value: Value, on loop: EventLoop) {
        loop.assertOnLoop()
        self.init(unchecked: value, queue: loop.queue)
    }

    /// For a value nobody else holds: it moves to the loop.
    package init(sending value: sending Value, to loop: EventLoop) {
        self.init(unchecked: value, queue: loop.queue)
    }

    init(unchecked value: Value, queue: DispatchQueue) {
        bound = value
        self.queue = queue
    }

    package var value: Value {
        dispatchPrecondition(condition: .onQueue(queue))
        return bound
    }
}
