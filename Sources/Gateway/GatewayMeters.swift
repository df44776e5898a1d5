import Synchronization
import Telemetry

/// The gateway's counts.
final class GatewayMeters: Sendable {
    private let registry: MetricRegistry
    private let connections: Gauge
    private let entries: Counter
    private let frames: [String: Counter]

    init(_ registry: MetricRegistry) {
        self.registry = registry
        connections = registry.gauge(.connections)
        entries = registry.counter(.entriesWritten)
        var frames: [String: Counter] = [:]
        for word in ["auth", "applied", "read", "unusable"] {
            frames[word] = registry.counter(.framesReceived, [MetricLabel("type", word)])
        }
        self.frames = frames
    }

    func connected() { connections.add(1) }
    func wrote(_ count: Int) { entries.add(UInt64(count)) }
    func received(_ word: String) { frames[word]?.add() }

    /// Only codes that we send ourselves have a label of their own.
    func closed(_ code: Int, wasConnected: Bool) {
        if wasConnected { connections.add(-1) }
        let label = [1_000, 1_001, 1_006, 1_008, 1_009].contains(code) || code >= 4_000 && code <= 4_010
        registry.counter(.connectionsClosed, [MetricLabel("code", label ? String(code) : "other")]).add()
    }
}
