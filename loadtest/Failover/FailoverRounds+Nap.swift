import EventLoop
import Glibc

/// The owner is paused until its lease is about to run out, has just run out, or is being taken over.
extension FailoverRounds {
    /// Before the guard's end, at four fifths of the lease, until after a standby has noticed.
    private static var napMilliseconds: ClosedRange<Int> { 3_600...6_200 }
    private static var watchMilliseconds: Int64 { 4_000 }
    private static var settleMilliseconds: Int64 { 20_000 }

    func nap(_ round: Int, _ traffic: FailoverTraffic) async throws -> FailoverOutcome {
        let (old, server) = (pair.ownerIndex, pair.owner)
        let epoch = await leases.epoch
        let length = Int.random(in: Self.napMilliseconds)
        let struckAt = WallClock.now()
        server.signal(SIGSTOP)
        let renewedAt = await leases.lastRenewal(ofEpoch: epoch) ?? struckAt
        try await Task.sleep(for: .milliseconds(length))
        server.signal(SIGCONT)
        let (readyAt, both) = try await watchBoth(until: WallClock.now() + Self.watchMilliseconds)
        let owner = try await theOwner()
        if owner != old { pair.swap() }
        try await traffic.end()
        var outcome = FailoverOutcome(
            round: round, blow: .nap,
            takeover: TakeoverEvidence(
                struckAt: struckAt, expiredAt: renewedAt + FailoverPair.leaseMilliseconds,
                readyAt: readyAt ?? WallClock.now()))
        outcome.remark = "paused \(length) ms, \(owner == old ? "came back" : "was succeeded"); "
        if both > 0 { outcome.violations.append("both servers said \(both) times that they own the data") }
        return outcome
    }

    /// When one of them was ready first, and how often both were: one is asked before and after the other.
    private func watchBoth(until end: Int64) async throws -> (readyAt: Int64?, both: Int) {
        var (readyAt, both): (Int64?, Int) = (nil, 0)
        while WallClock.now() < end {
            let before = await pair.isReady(0)
            let other = await pair.isReady(1)
            if before || other { readyAt = readyAt ?? WallClock.now() }
            if before, other, await pair.isReady(0) { both += 1 }
            try await Task.sleep(for: .milliseconds(10))
        }
        return (readyAt, both)
    }

    /// Waits until one is ready and the other a standby.
    private func theOwner() async throws -> Int {
        let end = WallClock.now() + Self.settleMilliseconds
        while WallClock.now() < end {
            for index in [0, 1] {
                if await pair.isReady(index), try await pair.isStandby(1 - index) { return index }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw LoadtestFailure("after a pause it does not become clear who owns the data")
    }
}
