import EventLoop
import Wire

/// A page of `/metrics`, read as Prometheus would.
struct MetricsPage: Equatable, Sendable {
    private struct Sample: Equatable, Sendable {
        let labels: [String: String]
        let value: Double
    }

    private var samples: [String: [Sample]] = [:]

    /// Lines that are no sample are left out.
    init(_ text: String) {
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let blank = line.lastIndex(of: " "), let value = Double(line[line.index(after: blank)...])
            else { continue }
            let series = line[..<blank]
            let name = series.prefix { $0 != "{" }
            samples[String(name), default: []].append(
                Sample(labels: Self.labels(series.dropFirst(name.count)), value: value))
        }
    }

    /// Of a server's admin listener.
    static func read(_ server: any ServerAccess, _ loop: EventLoop) async throws(LoadtestFailure)
        -> MetricsPage
    {
        let response = try await WebCall.send(
            .get, "/metrics", to: server.adminAddress, authorization: "Bearer \(server.adminToken)", on: loop)
        guard response.status == 200 else { throw LoadtestFailure("/metrics is answered \(response.status)") }
        return MetricsPage(String(decoding: response.body, as: UTF8.self))
    }

    /// Whether there is such a metric at all.
    func has(_ name: String) -> Bool { samples[name] != nil }

    /// The sum over the series with these labels; 0 without any.
    func sum(_ name: String, _ labels: [String: String] = [:]) -> Int {
        Int(
            (samples[name] ?? []).filter { sample in
                labels.allSatisfy { sample.labels[$0.key] == $0.value }
            }.reduce(0) { $0 + $1.value })
    }

    /// The sums by the values of one label.
    func sums(_ name: String, by labels: [String]) -> [[String]: Int] {
        var sums: [[String]: Int] = [:]
        for sample in samples[name] ?? [] {
            sums[labels.map { sample.labels[$0] ?? "" }, default: 0] += Int(sample.value)
        }
        return sums
    }

    /// `{a="x",b="y"}`; values of our own labels hold no quotation marks.
    private static func labels(_ text: Substring) -> [String: String] {
        var labels: [String: String] = [:]
        var rest = text.drop { $0 == "{" }
        while let equals = rest.firstIndex(of: "=") {
            let name = rest[..<equals].drop { $0 == "," }
            let value = rest[rest.index(equals, offsetBy: 2)...].prefix { $0 != "\"" }
            labels[String(name)] = String(value)
            rest = rest[value.endIndex...].dropFirst()
        }
        return labels
    }
}

/// What a server has counted: the difference of two pages.
struct PushCounts: Equatable, Sendable {
    /// Push tasks made, holds included.
    var tasksMade = 0
    /// Those that are open now.
    var tasksOpen = 0
    /// Tasks ended, by outcome and reason.
    var outcomes: [[String]: Int] = [:]
    /// Nil if the server has no such metric.
    var pd1Violations: Int?

    init(_ page: MetricsPage) {
        tasksMade = page.sum("rouse_push_tasks_total")
        tasksOpen = page.sum("rouse_push_tasks")
        outcomes = page.sums("rouse_push_outcomes_total", by: ["outcome", "reason"])
        pd1Violations = page.has("rouse_pd1_violations") ? page.sum("rouse_pd1_violations") : nil
    }

    init() {}

    func since(_ earlier: PushCounts) -> PushCounts {
        var difference = self
        difference.tasksMade -= earlier.tasksMade
        difference.outcomes.merge(earlier.outcomes, uniquingKeysWith: -)
        return difference
    }

    func outcome(_ word: String) -> Int { outcomes.filter { $0.key.first == word }.values.reduce(0, +) }

    /// Suppressions that name another device of the user as their reason.
    var suppressedForOtherDevices: Int {
        outcomes.filter { $0.key.first == "suppressed" && ($0.key.last ?? "").contains("device") }
            .values.reduce(0, +)
    }
}
