import Synchronization

/// A fixed set of loops; connections are spread over them and stay.
package final class EventLoopGroup: Sendable {
    package let loops: [EventLoop]
    private let turn = Atomic<Int>(0)

    /// At least one loop. As many as cores: with more, less is done in a turn, and a push costs more.
    package init(count: Int, label: String = "loop") {
        loops = (0..<max(1, count)).map { EventLoop(label: "\(label)-\($0)") }
    }

    /// The loops in turn; from any thread.
    package func next() -> EventLoop {
        let turn = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return loops[Int(UInt(bitPattern: turn) % UInt(loops.count))]
    }
}
