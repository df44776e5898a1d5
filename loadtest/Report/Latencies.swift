/// Times of single operations in microseconds, kept whole: a run has at most some millions.
struct Latencies: Sendable {
    private var microseconds: [UInt32] = []

    mutating func add(nanoseconds: UInt64) {
        microseconds.append(UInt32(clamping: nanoseconds / 1_000))
    }

    mutating func add(_ others: Latencies) { microseconds += others.microseconds }

    mutating func removeAll() { microseconds.removeAll(keepingCapacity: true) }

    var count: Int { microseconds.count }

    /// The smallest time that so many of a hundred do not exceed; nil without any.
    func percentile(_ percent: Double) -> Double? {
        guard !microseconds.isEmpty else { return nil }
        let sorted = microseconds.sorted()
        let rank = Int((percent / 100 * Double(sorted.count)).rounded(.up))
        return Double(sorted[min(max(rank, 1), sorted.count) - 1])
    }
}
