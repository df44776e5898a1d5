import Domain
import Engine
import EventLoop

/// The lease's clock guard as a gate of sockets: a process that slept past its lease wakes up to a shut one.
final class LeaseGate: WriteGate {
    private let leaseGuard: LeaseGuard

    init(_ leaseGuard: LeaseGuard) { self.leaseGuard = leaseGuard }

    var isOpen: Bool { leaseGuard.holds(at: Instant(milliseconds: MonotonicClock.nowMilliseconds())) }
}
