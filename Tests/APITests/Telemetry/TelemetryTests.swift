import Synchronization
import Telemetry
import Testing

@Suite("Telemetry")
struct TelemetryTests {
    @Test func `the metrics text announces each name once and escapes labels`() {
        let registry = MetricRegistry()
        registry.counter(.httpRequests, [MetricLabel("route", "a\"b\\c\nd")]).add(3)
        registry.counter(.httpRequests, [MetricLabel("route", "z")]).add()
        registry.gauge(.connections).set(-2)
        var text = PrometheusText()
        registry.write(to: &text)
        let lines = String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(lines.filter { $0.hasPrefix("# TYPE rouse_http_requests_total counter") }.count == 1)
        #expect(lines.contains(#"rouse_http_requests_total{route="a\"b\\c\nd"} 3"#))
        #expect(lines.contains("rouse_gateway_connections -2"))
    }

    @Test func `a histogram's buckets are cumulative and in seconds`() {
        let registry = MetricRegistry()
        let histogram = registry.histogram(.httpRequestDuration)
        for microseconds: UInt64 in [50, 100, 900, 60_000_000] {
            histogram.record(microseconds: microseconds)
        }
        var text = PrometheusText()
        registry.write(to: &text)
        let lines = Set(String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").map(String.init))
        #expect(lines.contains(#"rouse_http_request_duration_seconds_bucket{le="0.0001"} 2"#))
        #expect(lines.contains(#"rouse_http_request_duration_seconds_bucket{le="0.001"} 3"#))
        #expect(lines.contains(#"rouse_http_request_duration_seconds_bucket{le="+Inf"} 4"#))
        #expect(lines.contains("rouse_http_request_duration_seconds_count 4"))
    }

    @Test func `label sets beyond the bound share one`() {
        let registry = MetricRegistry()
        for route in 0..<MetricRegistry.seriesPerName + 10 {
            registry.counter(.httpRequests, [MetricLabel("route", "\(route)")]).add()
        }
        #expect(registry.counter(.httpRequests, [MetricLabel("route", "new")]).value == 10)
    }

    @Test func `a log line is one JSON object and levels are kept`() {
        let lines = Mutex<[String]>([])
        let logger = Logger(
            level: .info, timestamp: { "2026-11-30T08:00:00Z" },
            sink: { line in lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } })
        logger.debug("not written")
        logger.warning("token is dead", .user("b\"o\nb"), .number("attempts", 3), .word("transport", "apns"))
        #expect(
            lines.withLock { $0 } == [
                #"{"time":"2026-11-30T08:00:00Z","level":"warning","message":"token is dead","#
                    + #""user":"b\"o b","attempts":3,"transport":"apns"}"# + "\n"
            ])
    }
}
