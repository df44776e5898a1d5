import EventLoop
import Synchronization
import Telemetry

/// Counts one route's answers by status; the instruments are asked for once each.
final class RouteMeter: Sendable {
    private let registry: MetricRegistry
    private let listener: String
    private let route: String
    private let duration: Histogram
    private let counters = Mutex<[Int: Counter]>([:])

    init(_ registry: MetricRegistry, listener: String, route: String) {
        self.registry = registry
        self.listener = listener
        self.route = route
        duration = registry.histogram(.httpRequestDuration, [MetricLabel("listener", listener)])
    }

    func now() -> UInt64 { MonotonicClock.now() }

    func answered(status: Int, since start: UInt64) {
        duration.record(microseconds: (MonotonicClock.now() &- start) / 1_000)
        counter(status).add()
    }

    private func counter(_ status: Int) -> Counter {
        counters.withLock { counters in
            if let counter = counters[status] { return counter }
            let counter = registry.counter(
                .httpRequests,
                [
                    MetricLabel("listener", listener), MetricLabel("route", route),
                    MetricLabel("status", String(status)),
                ])
            counters[status] = counter
            return counter
        }
    }
}
