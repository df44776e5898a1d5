package import Domain

/// Takes the single-owner lease, keeps it, and tells when it is ours or lost.
///
/// A standby never trusts the clock of the other process or of the database: it times on its own boot-time
/// clock how long the holder's epoch and renewals have not moved, and takes over when that has lasted the
/// whole lease. Renewal is asked for each `renew`; the guard counts from before the question was sent.
package actor LeaseKeeper {
    package struct Times: Sendable {
        package let durationMilliseconds: Int64
        package let renewMilliseconds: Int64

        package init(durationMilliseconds: Int64, renewMilliseconds: Int64) {
            self.durationMilliseconds = durationMilliseconds
            self.renewMilliseconds = renewMilliseconds
        }
    }

    /// Time as the keeper needs it; a test passes its own.
    package protocol Clock: Sendable {
        func now() -> Instant
        func pause(milliseconds: Int64) async throws
    }

    private struct Holder: Equatable {
        let epoch: Int64
        let renewals: Int64
    }

    private let owner: String
    private let store: any LeaseStore
    private let times: Times
    private let leaseGuard: LeaseGuard
    private let clock: any Clock
    private var seen: (holder: Holder, since: Instant)?
    private var epoch: Int64?

    package init(
        owner: String, store: any LeaseStore, times: Times, leaseGuard: LeaseGuard, clock: any Clock
    ) {
        self.owner = owner
        self.store = store
        self.times = times
        self.leaseGuard = leaseGuard
        self.clock = clock
    }

    /// Waits until the lease is ours; answers with its epoch. Ends only by cancellation.
    package func acquire() async throws -> Int64 {
        while true {
            try Task.checkCancellation()
            if let epoch = await tryToAcquire() { return epoch }
            try await clock.pause(milliseconds: times.renewMilliseconds / 2)
        }
    }

    private func tryToAcquire() async -> Int64? {
        let asked = clock.now()
        let isSilent = seen.map { asked - $0.since >= times.durationMilliseconds } ?? false
        guard let answer = try? await store.acquire(owner: owner, takeOver: isSilent) else { return nil }
        switch answer {
        case .owned(let epoch):
            self.epoch = epoch
            seen = nil
            leaseGuard.renewed(askedAt: asked, durationMilliseconds: times.durationMilliseconds)
            return epoch
        case .held(let epoch, let renewals):
            let holder = Holder(epoch: epoch, renewals: renewals)
            // Counted from the answer: the holder may have renewed while the question was on its way.
            if seen?.holder != holder { seen = (holder, clock.now()) }
            return nil
        }
    }

    /// Renews until the lease is lost: another owner has it, or
    /// the database was away until the guard ran out.
    package func keep() async throws {
        while let epoch {
            try await clock.pause(milliseconds: times.renewMilliseconds)
            let asked = clock.now()
            let renewed = try? await store.renew(owner: owner, epoch: epoch)
            if renewed == true {
                leaseGuard.renewed(askedAt: asked, durationMilliseconds: times.durationMilliseconds)
            } else if renewed == false || !leaseGuard.holds(at: clock.now()) {
                leaseGuard.lost()
                self.epoch = nil
            }
        }
    }

    /// Watches the guard alone: a renewal that hangs with the database must not keep the shards open past it.
    package nonisolated func watch(_ ranOut: @Sendable () -> Void) async {
        while leaseGuard.holds(at: clock.now()) {
            guard (try? await clock.pause(milliseconds: times.renewMilliseconds / 4)) != nil else { return }
        }
        ranOut()
    }

    /// Gives the lease back, so that a successor need not wait.
    package func release() async {
        leaseGuard.lost()
        guard let epoch else { return }
        self.epoch = nil
        try? await store.release(owner: owner, epoch: epoch)
    }
}
