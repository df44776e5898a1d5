/// A point of the boot-time clock in milliseconds: all deadlines are told by it, so that a wall clock that
/// jumps moves none of them.
package struct Instant: Hashable, Comparable, Sendable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    package static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    package static func + (instant: Self, milliseconds: Int64) -> Self {
        Self(milliseconds: instant.milliseconds + milliseconds)
    }

    package static func - (left: Self, right: Self) -> Int64 { left.milliseconds - right.milliseconds }
}

/// A point of the wall clock in milliseconds since 1970 (UTC): for records, expiry and what people read.
package struct WallTime: Hashable, Comparable, Sendable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    package static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    package static func + (time: Self, milliseconds: Int64) -> Self {
        Self(milliseconds: time.milliseconds + milliseconds)
    }

    package static func - (left: Self, right: Self) -> Int64 { left.milliseconds - right.milliseconds }
}

/// Now, on both clocks: read once per event and passed in.
package struct Moment: Hashable, Sendable {
    package let instant: Instant
    package let wall: WallTime

    package init(instant: Instant, wall: WallTime) {
        self.instant = instant
        self.wall = wall
    }
}
