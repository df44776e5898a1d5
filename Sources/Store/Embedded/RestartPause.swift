import Glibc

/// How long to wait before Postgres is started again: it doubles while it keeps ending early.
struct RestartPause {
    static let shortest = 100
    static let longest = 10_000
    /// A run of this length counts as sound and resets the pause.
    static let soundRun = 30_000

    private var next = shortest
    private var startedAt = 0

    mutating func started(at now: Int) { startedAt = now }

    /// Milliseconds to wait now.
    mutating func ended(at now: Int) -> Int {
        if now - startedAt >= Self.soundRun { next = Self.shortest }
        defer { next = min(next * 2, Self.longest) }
        return next
    }
}

/// The boot-time clock, for waits that no change of the wall clock may stretch.
enum MonotonicMilliseconds {
    static var now: Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }
}
