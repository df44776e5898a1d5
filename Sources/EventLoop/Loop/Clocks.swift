/// Time since the machine started, sleep included (CLOCK_BOOTTIME): for leases, deadlines and durations.
package enum MonotonicClock {
    package static func now() -> UInt64 { System.bootNanoseconds() }

    package static func nowMilliseconds() -> Int64 { Int64(System.bootNanoseconds() / 1_000_000) }
}

/// Time of day; may jump. For what is stored and shown, never for a duration.
package enum WallClock {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package static func now() -> Int64 { Int64(System.wallNanoseconds() / 1_000_000) }
}
