package import Domain
import Synchronization

/// The clock guard: whether this process may still hand over
/// to providers and devices, and answer from memory.
///
/// The lease is renewed in Postgres; this remembers, on the boot-time clock, until when the
/// last renewal holds minus a margin for what is already on its way. Any thread.
package final class LeaseGuard: Sendable {
    private let until = Atomic<Int64>(Int64.min)
    private let isSwitchedOff: Bool

    /// `disabledRules`: a harness may switch it off, to see what it guards against.
    package init(disabledRules: Rules = []) { isSwitchedOff = disabledRules.contains(.leaseFences) }

    /// A renewal that was asked for at `asked` holds for `duration`; the margin is a fifth of it.
    package func renewed(askedAt asked: Instant, durationMilliseconds: Int64) {
        until.store(asked.milliseconds + durationMilliseconds * 4 / 5, ordering: .releasing)
    }

    package func lost() { until.store(Int64.min, ordering: .releasing) }

    package func holds(at now: Instant) -> Bool {
        isSwitchedOff || now.milliseconds < until.load(ordering: .acquiring)
    }

    /// How long it still holds; 0: no more.
    package func remainingMilliseconds(at now: Instant) -> Int64 {
        let until = until.load(ordering: .acquiring)
        return now.milliseconds < until ? until - now.milliseconds : 0
    }
}
