import Domain
import Synchronization
import Testing

@testable import Engine

/// A clock that moves by being waited on.
private final class SteppingClock: LeaseKeeper.Clock {
    private let time = Mutex<Int64>(10_000)

    func now() -> Instant { Instant(milliseconds: time.withLock { $0 }) }

    func pause(milliseconds: Int64) async throws {
        try Task.checkCancellation()
        time.withLock { $0 += milliseconds }
    }
}

/// The lease row, with another owner who renews until the clock has come so far.
private final class LeaseRow: LeaseStore {
    private let clock: SteppingClock
    private let otherRenewsUntil: Int64
    let takenAt = Mutex<Int64?>(nil)

    init(_ clock: SteppingClock, otherRenewsUntil: Int64) {
        self.clock = clock
        self.otherRenewsUntil = otherRenewsUntil
    }

    func acquire(owner: String, takeOver: Bool) async throws(StoreFailure) -> LeaseAnswer {
        let now = clock.now().milliseconds
        if takeOver {
            takenAt.withLock { $0 = now }
            return .owned(epoch: 8)
        }
        return .held(epoch: 7, renewals: min(now, otherRenewsUntil) / 1_000)
    }

    func renew(owner: String, epoch: Int64) async throws(StoreFailure) -> Bool {
        throw .unavailable("away")
    }

    func release(owner: String, epoch: Int64) async throws(StoreFailure) {}
}

@Suite struct LeaseTests {
    private let times = LeaseKeeper.Times(durationMilliseconds: 5_000, renewMilliseconds: 1_000)

    @Test func `a standby takes over only after the whole lease without a sign of the owner`() async throws {
        let clock = SteppingClock()
        let row = LeaseRow(clock, otherRenewsUntil: 20_000)
        let keeper = LeaseKeeper(
            owner: "b", store: row, times: times, leaseGuard: LeaseGuard(), clock: clock)
        #expect(try await keeper.acquire() == 8)
        let taken = try #require(row.takenAt.withLock { $0 })
        #expect(taken >= 25_000 && taken <= 26_000)
    }

    @Test func `the guard runs out before the lease does while the database is away`() async throws {
        let clock = SteppingClock()
        let row = LeaseRow(clock, otherRenewsUntil: 0)
        let leaseGuard = LeaseGuard()
        let keeper = LeaseKeeper(owner: "b", store: row, times: times, leaseGuard: leaseGuard, clock: clock)
        _ = try await keeper.acquire()
        let acquired = clock.now()
        #expect(leaseGuard.holds(at: acquired + 3_999))
        #expect(!leaseGuard.holds(at: acquired + 4_000))
        try await keeper.keep()
        #expect(clock.now() - acquired <= 5_000)
        #expect(!leaseGuard.holds(at: acquired))
    }
}
