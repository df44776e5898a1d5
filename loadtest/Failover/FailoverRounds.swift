import EventLoop
import Glibc
import Wire

/// Strikes the owner, watches its successor take over, and looks at what became of everything.
struct FailoverRounds: Sendable {
    /// What was held for a connection that died is due at the take-over: so long it may take to be pushed.
    static let payMilliseconds: Int64 = 8_000
    /// The same for connections that closed while the owner lives.
    private static let leaveMilliseconds: Int64 = 5_000
    private static let readyMilliseconds = 40_000
    /// Whatever is held when the owner is told to end is pushed by then, early or late.
    static let windowMilliseconds: Int64 = 24_000
    static let pushSeconds = 60

    let pair: FailoverPair
    let postgres: SharedPostgres
    let leases: LeaseWatch
    let tenant: LoadTenant
    let phones: FailoverPhones
    let heavy: HeavyMailbox
    let ledger: CrashLedger
    let users: Int
    let connections: Int
    let milliseconds: Int
    let loop: EventLoop

    func perform(_ blow: FailoverBlow, round: Int) async throws -> FailoverOutcome {
        guard await phones.areOnline(withinMilliseconds: 20_000) else {
            throw LoadtestFailure("the phones do not come back: \(await phones.fleet.totals)")
        }
        let traffic = await startTraffic()
        try await Task.sleep(for: .milliseconds(milliseconds))
        var outcome =
            switch blow {
            case .kill: try await kill(round, traffic)
            case .freeze: try await freeze(round, traffic)
            case .nap: try await nap(round, traffic)
            case .drain: try await drain(round, traffic)
            }
        outcome.acknowledged = ledger.snapshot.acknowledged.count
        outcome.violations += TakeoverChecker.violations(of: outcome.takeover) + (try await mailboxes())
        outcome.violations = outcome.violations.map { "round \(round), \(blow.rawValue): \($0)" }
        return outcome
    }

    private func startTraffic() async -> FailoverTraffic {
        await FailoverTraffic.start(
            apiKey: tenant.apiKey, users: users, ledger: ledger, to: pair.servers.map(\.publicAddress),
            connections: connections, on: loop)
    }

    // MARK: Killed

    private func kill(_ round: Int, _ traffic: FailoverTraffic) async throws -> FailoverOutcome {
        let left = try await leave()
        let old = pair.ownerIndex
        let epoch = await leases.epoch
        let owed = try await owed()
        let struckAt = WallClock.now()
        try await pair.owner.kill()
        var takeover = try await takeOver(struckAt, epoch)
        try await pair.launchStandby(old)
        takeover.owed = owed.count
        takeover.unpaid = try await pay(owed, by: takeover.readyAt + Self.payMilliseconds)
        takeover.paidAt = lastPush(of: owed)
        try await Task.sleep(for: .seconds(1))
        try await traffic.end()
        var outcome = FailoverOutcome(round: round, blow: .kill, takeover: takeover)
        outcome.violations = left
        return outcome
    }

    /// Half of the silent phones hang up while the owner lives: what was held for them falls due at once.
    private func leave() async throws -> [String] {
        let leaving = phones.users.enumerated().filter { $0.element % 8 == 2 }
        let users = Set(leaving.map(\.element))
        let owed = try await owed().filter { owed in
            users.contains { owed.token == LoadTenant.token($0, device: LoadTenant.phone) }
        }
        for (device, _) in leaving {
            phones.fleet.drop(device..<device + 1, .end, returningWithinMilliseconds: 300)
        }
        let unpaid = try await pay(owed, by: WallClock.now() + Self.leaveMilliseconds)
        return unpaid == 0
            ? [] : ["\(unpaid) of \(owed.count) messages held for phones that left were not pushed"]
    }

    /// Waits until the standby is ready: it is the owner then.
    ///
    /// - Parameter expiredAt: nil: so long after the last renewal of the old owner as its lease lasts.
    func takeOver(_ struckAt: Int64, _ epoch: Int64, expiredAt: Int64? = nil) async throws
        -> TakeoverEvidence
    {
        let next = pair.standby
        for _ in 0..<(Self.readyMilliseconds / 10) {
            if next.hasEnded { throw LoadtestFailure("the standby ended by itself") }
            if let answer = try? await WebCall.send(.get, "/readyz", to: next.publicAddress, on: loop),
                answer.status == 200
            {
                let readyAt = WallClock.now()
                pair.swap()
                let renewedAt = await leases.lastRenewal(ofEpoch: epoch) ?? struckAt
                return TakeoverEvidence(
                    struckAt: struckAt,
                    expiredAt: expiredAt ?? renewedAt + FailoverPair.leaseMilliseconds, readyAt: readyAt)
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw LoadtestFailure("the standby does not take over in \(Self.readyMilliseconds / 1_000) s")
    }
}
