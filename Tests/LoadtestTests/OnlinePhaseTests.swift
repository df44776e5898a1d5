import Testing

@testable import RouseLoadtest

@Suite struct OnlinePhaseTests {
    /// A hundred messages, all of them entries and tasks.
    private func phase(_ outcomes: [[String]: Int]) -> OnlinePhase {
        var load = IngestLoad.Result()
        load.accepted = 100
        var phase = OnlinePhase(load: load, seconds: 1)
        phase.entries = 100
        phase.counts.tasksMade = 100
        phase.counts.outcomes = outcomes
        return phase
    }

    @Test func `a phase holds when APPLIED ended each message's one task`() {
        #expect(phase([["applied", "none"]: 100]).findings.isEmpty)
    }

    @Test func `a task that ended otherwise is named by its outcome and reason`() {
        let found = phase([["applied", "none"]: 98, ["notified", "none"]: 2, ["dropped", "expired"]: 0])
        #expect(
            found.findings.sentences == [
                "tasks ended by APPLIED: 98 instead of 100", "tasks ended otherwise: 2 notified/none",
            ])
    }
}
