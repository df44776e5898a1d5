import EventLoop

/// What the server's own audit of PD-1 says, once it has looked at everything there is.
enum AuditWitness {
    private static let limitMilliseconds = 60_000
    private static let lookMilliseconds = 100

    /// Limits of a server whose audit shall not take long: the rate of rows, and the pause between rounds.
    static let limits = ["audit_rows_per_second": 50_000, "audit_pause_ms": 500]

    /// Waits for a round that began after now; each finding is one sentence.
    static func violations(of server: ServerProcess, _ loop: EventLoop) async throws -> [String] {
        var page = try await MetricsPage.read(server, loop)
        guard page.has(Name.violations) else { return ["the server has no metric \(Name.violations)"] }
        // The round under way may have looked at the first rows before.
        let wanted = page.sum(Name.rounds) + 2
        for _ in 0..<(limitMilliseconds / lookMilliseconds) where page.sum(Name.rounds) < wanted {
            try await Task.sleep(for: .milliseconds(lookMilliseconds))
            page = try await MetricsPage.read(server, loop)
        }
        return findings(page, wanted: wanted)
    }

    static func findings(_ page: MetricsPage, wanted: Int) -> [String] {
        if page.sum(Name.rounds) < wanted { return ["the server's audit does not come round"] }
        let count = page.sum(Name.violations)
        return count == 0 ? [] : ["the server's own audit counts \(count) violations of PD-1"]
    }

    private enum Name {
        static let violations = "rouse_pd1_violations"
        static let rounds = "rouse_pd1_audit_rounds_total"
    }
}
