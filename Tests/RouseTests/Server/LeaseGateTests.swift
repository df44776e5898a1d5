import Domain
import Engine
import EventLoop
import Testing

@testable import Rouse

struct LeaseGateTests {
    @Test func `the gate is open while the last renewal holds, and shut past its margin`() {
        let leaseGuard = LeaseGuard()
        let gate = LeaseGate(leaseGuard)
        #expect(!gate.isOpen)
        let now = Instant(milliseconds: MonotonicClock.nowMilliseconds())
        leaseGuard.renewed(askedAt: now, durationMilliseconds: 86_400_000)
        #expect(gate.isOpen)
        // Stopped for an hour with a lease of five seconds.
        leaseGuard.renewed(askedAt: now + -3_600_000, durationMilliseconds: 5_000)
        #expect(!gate.isOpen)
        leaseGuard.renewed(askedAt: now, durationMilliseconds: 86_400_000)
        leaseGuard.lost()
        #expect(!gate.isOpen)
    }
}
