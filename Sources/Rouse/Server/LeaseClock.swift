import Domain
import Engine
import EventLoop

/// The boot-time clock, and pauses that a cancelled task does not sit out.
struct LeaseClock: LeaseKeeper.Clock {
    func now() -> Instant { Instant(milliseconds: MonotonicClock.nowMilliseconds()) }

    func pause(milliseconds: Int64) async throws {
        try await Task.sleep(for: .milliseconds(milliseconds))
    }
}
