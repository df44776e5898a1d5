/// The Prometheus text format, version 0.0.4. Samples of one name have to be given one after another.
package struct PrometheusText {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package private(set) var bytes: [UInt8] = []
    private var announced: Set<MetricName> = []

    package init() { bytes.reserveCapacity(16_384) }

    /// One sample of a counter or gauge.
    package mutating func sample(_ name: MetricName, _ labels: [MetricLabel] = [], _ value: Double) {
        announce(name)
        line(name.rawValue, "", labels, value)
    }

    /// All lines of a histogram, buckets cumulative, in seconds.
    package mutating func histogram(
        _ name: MetricName, _ labels: [MetricLabel], _ snapshot: Histogram.Snapshot
    ) {
        announce(name)
        var total: UInt64 = 0
        for (bucket, count) in snapshot.buckets.enumerated() {
            total += count
            let isLast = bucket == Histogram.bounds.count
            let bound = isLast ? "+Inf" : Self.text(Double(Histogram.bounds[bucket]) / 1_000_000)
            line(name.rawValue, "_bucket", labels + [MetricLabel("le", bound)], Double(total))
        }
        line(name.rawValue, "_sum", labels, Double(snapshot.sumMicroseconds) / 1_000_000)
        line(name.rawValue, "_count", labels, Double(total))
    }

    private mutating func announce(_ name: MetricName) {
        guard announced.insert(name).inserted else { return }
        put("# HELP \(name.rawValue) \(name.help)\n# TYPE \(name.rawValue) \(name.kind.rawValue)\n")
    }

    private mutating func line(_ name: String, _ suffix: String, _ labels: [MetricLabel], _ value: Double) {
        put(name)
        put(suffix)
        if !labels.isEmpty {
            for (index, label) in labels.enumerated() {
                put(index == 0 ? "{" : ",")
                put(label.name)
                put("=\"")
                escape(label.value)
                put("\"")
            }
            put("}")
        }
        put(" ")
        put(Self.text(value))
        put("\n")
    }

    /// Whole numbers without a fraction, which is how people read counts.
    private static func text(_ value: Double) -> String {
        Int64(exactly: value).map { String($0) } ?? value.description
    }

    private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func escape(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"), UInt8(ascii: "\""): bytes += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            default: bytes.append(byte)
            }
        }
    }
}
