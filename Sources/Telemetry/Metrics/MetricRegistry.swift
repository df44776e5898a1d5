import Synchronization

/// The instruments of the process. Ask once and keep the instrument: the asking takes a lock.
package final class MetricRegistry: Sendable {
    /// Beyond so many label sets of one name, further ones share an instrument labelled `other`.
    package static let seriesPerName = 1_000

    private struct Series: Hashable {
        let name: MetricName
        let labels: [MetricLabel]
    }

    private enum Instrument {
        case counter(Counter)
        case gauge(Gauge)
        case histogram(Histogram)
    }

    private struct State {
        var instruments: [Series: Instrument] = [:]
        var counts: [MetricName: Int] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// - Precondition: the name is a counter's.
    package func counter(_ name: MetricName, _ labels: [MetricLabel] = []) -> Counter {
        guard case .counter(let counter) = instrument(name, labels) else {
            preconditionFailure(name.rawValue)
        }
        return counter
    }

    /// - Precondition: the name is a gauge's.
    package func gauge(_ name: MetricName, _ labels: [MetricLabel] = []) -> Gauge {
        guard case .gauge(let gauge) = instrument(name, labels) else { preconditionFailure(name.rawValue) }
        return gauge
    }

    /// - Precondition: the name is a histogram's.
    package func histogram(_ name: MetricName, _ labels: [MetricLabel] = []) -> Histogram {
        guard case .histogram(let histogram) = instrument(name, labels) else {
            preconditionFailure(name.rawValue)
        }
        return histogram
    }

    private func instrument(_ name: MetricName, _ labels: [MetricLabel]) -> Instrument {
        state.withLock { state in
            if let known = state.instruments[Series(name: name, labels: labels)] { return known }
            let isFull = state.counts[name, default: 0] >= Self.seriesPerName
            let labels = isFull ? labels.map { MetricLabel($0.name, "other") } : labels
            let series = Series(name: name, labels: labels)
            if let known = state.instruments[series] { return known }
            let made = Self.make(name.kind)
            state.instruments[series] = made
            state.counts[name, default: 0] += 1
            return made
        }
    }

    private static func make(_ kind: MetricName.Kind) -> Instrument {
        switch kind {
        case .counter: .counter(Counter())
        case .gauge: .gauge(Gauge())
        case .histogram: .histogram(Histogram())
        }
    }

    /// Adds every instrument to a text, in the order of names and labels.
    package func write(to text: inout PrometheusText) {
        let instruments = state.withLock { $0.instruments }
        let sorted = instruments.sorted {
            ($0.key.name.rawValue, $0.key.labels.map(\.value).joined(separator: "\0"))
                < ($1.key.name.rawValue, $1.key.labels.map(\.value).joined(separator: "\0"))
        }
        for (series, instrument) in sorted {
            switch instrument {
            case .counter(let counter):
                text.sample(series.name, series.labels, Double(counter.value))
            case .gauge(let gauge): text.sample(series.name, series.labels, Double(gauge.value))
            case .histogram(let histogram):
                text.histogram(series.name, series.labels, histogram.snapshot)
            }
        }
    }
}
