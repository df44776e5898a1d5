/// When a device was woken silently within the last hour, by the boot-time clock.
package struct WakeBudget: Equatable, Sendable {
    package static let milliseconds: Int64 = 3_600_000

    private(set) var spent: [Instant] = []

    package init() {}

    /// As it was stored, by the wall clock.
    init(_ stored: [WallTime], at now: Moment) { spent = stored.map(now.instant) }

    func stored(at now: Moment) -> [WallTime] {
        spent.filter { now.instant - $0 < Self.milliseconds }.map(now.wallTime)
    }

    /// How many count at an instant.
    mutating func used(at now: Instant) -> Int {
        spent.removeAll { now - $0 >= Self.milliseconds }
        return spent.count
    }

    mutating func spend(at now: Instant) { spent.append(now) }
}
