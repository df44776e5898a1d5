import Synchronization

/// A count that only grows. Any thread.
package final class Counter: Sendable {
    private let count = Atomic<UInt64>(0)

    package func add(_ amount: UInt64 = 1) { count.add(amount, ordering: .relaxed) }

    package var value: UInt64 { count.load(ordering: .relaxed) }
}

/// A level that rises and falls. Any thread.
package final class Gauge: Sendable {
    private let level = Atomic<Int64>(0)

    package func add(_ amount: Int64) { level.add(amount, ordering: .relaxed) }
    package func set(_ amount: Int64) { level.store(amount, ordering: .relaxed) }

    package var value: Int64 { level.load(ordering: .relaxed) }
}

/// Durations sorted into fixed buckets of microseconds, from 100 µs to 10 s. Any thread.
package final class Histogram: Sendable {
    /// Upper bounds in microseconds; what lies above counts in the last, unbounded bucket.
    package static let bounds: [UInt64] = [
        100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
        2_500_000, 5_000_000, 10_000_000,
    ]

    package struct Snapshot: Equatable, Sendable {
        /// Not cumulative; one more than there are bounds.
        package var buckets = Array(repeating: UInt64(0), count: Histogram.bounds.count + 1)
        package var sumMicroseconds: UInt64 = 0

        package var count: UInt64 { buckets.reduce(0, +) }
    }

    private let state = Mutex(Snapshot())

    package func record(microseconds: UInt64) {
        let bucket = Self.bounds.firstIndex { microseconds <= $0 } ?? Self.bounds.count
        state.withLock {
            $0.buckets[bucket] += 1
            $0.sumMicroseconds &+= microseconds
        }
    }

    package var snapshot: Snapshot { state.withLock { $0 } }
}
