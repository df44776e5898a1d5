import Testing

@testable import RouseLoadtest

@Suite struct SceneCheckerTests {
    private static let posted: Int64 = 1_000_000

    /// A message that was materialised at 10 ms, written at 30, and what came then.
    private func seen(_ expectation: Scene.Expectation, _ change: (inout SceneEvidence) -> Void)
        -> SceneEvidence
    {
        var seen = SceneEvidence(.zombie, expectation, name: "run")
        seen.postedAt = Self.posted
        seen.steps = [
            step(10, "materialised"), step(10, "presence"), step(10, "held"), step(30, "pushed"),
            step(30, "extended"),
        ]
        change(&seen)
        return seen
    }

    private func step(_ at: Int64, _ word: String, _ reason: String = "") -> SeenStep {
        SeenStep(at: Self.posted + at, word, reason: reason)
    }

    private func push(_ at: Int64, _ id: String = "id-1", status: Int = 200) -> SeenPush {
        SeenPush(at: Self.posted + at, apnsID: id, status: status)
    }

    private func due(at: Int64, _ reason: String, pushed: Int64? = nil, _ expectation: Scene.Expectation)
        -> [String]
    {
        SceneChecker.violations(
            of: seen(expectation) { seen in
                seen.steps.append(step(at, "due", reason))
                seen.state = "notified"
                seen.pushes = [push(pushed ?? at + 20)]
            })
    }

    // MARK: Zombies

    @Test func `a zombie that is due when its socket dies is as promised`() {
        #expect(due(at: 15_430, "connection_closed", .dueWithinWindow) == [])
        #expect(due(at: 18_030, "confirm_window_over", .dueWithinWindow) == [])
    }

    @Test func `a zombie that is due too late is found`() {
        #expect(
            due(at: 19_000, "connection_closed", .dueWithinWindow)
                == ["run: due 18970 ms after the write"])
    }

    @Test func `a zombie that is due before a socket can die is found`() {
        #expect(
            due(at: 5_000, "connection_closed", .dueWithinWindow)
                == ["run: due 4970 ms after the write: no socket dies so early"])
    }

    @Test func `a zombie that is due for another reason is found`() {
        #expect(due(at: 16_000, "recovered", .dueWithinWindow) == ["run: due because of recovered"])
    }

    @Test func `a push that reaches the provider too late is found`() {
        #expect(
            due(at: 15_400, "connection_closed", pushed: 20_000, .dueWithinWindow)
                == ["run: at the provider 570 ms too late"])
    }

    @Test func `a zombie whose task PUSHED deleted is missed`() {
        let found = SceneChecker.violations(of: seen(.dueWithinWindow) { $0.state = "applied" })
        #expect(
            found
                == [
                    "run: never due", "run: missed: it ended applied, not notified",
                    "run: missed: no push reached the provider",
                ].map { $0.replacing("applied, not notified", with: "applied") })
    }

    @Test func `a message that was never written is no zombie's`() {
        let found = SceneChecker.violations(
            of: seen(.dueWithinWindow) { seen in
                seen.steps = [step(10, "materialised"), step(3_010, "due", "grace_window_over")]
                seen.state = "notified"
                seen.pushes = [push(3_030)]
            })
        #expect(found == ["run: the record has no PUSHED", "run: never due"])
    }

    // MARK: Windows

    @Test func `a frozen client is due when the window closes and not before`() {
        #expect(due(at: 18_030, "confirm_window_over", .dueAtWindowEnd) == [])
        #expect(
            due(at: 17_900, "confirm_window_over", .dueAtWindowEnd)
                == ["run: due 17870 ms after its window began: too early"])
        #expect(
            due(at: 18_530, "confirm_window_over", .dueAtWindowEnd)
                == ["run: due 18500 ms after its window began: too late"])
    }

    @Test func `a write that could not be confirmed is due when the grace is over`() {
        let found = SceneChecker.violations(
            of: seen(.dueAtGraceEnd) { seen in
                seen.steps = [step(10, "materialised"), step(3_010, "due", "grace_window_over")]
                seen.state = "notified"
                seen.pushes = [push(3_030)]
            })
        #expect(found == [])
        #expect(
            due(at: 3_010, "grace_window_over", .dueAtGraceEnd)
                == ["run: the record has a PUSHED that could not be"])
    }

    // MARK: Close

    @Test func `a clean close is due within the second`() {
        func closing(due: Int64) -> [String] {
            SceneChecker.violations(
                of: seen(.dueAtClose) { seen in
                    seen.closedAt = Self.posted + 500
                    seen.steps.append(step(due, "due", "connection_closed"))
                    seen.state = "notified"
                    seen.pushes = [push(due + 10)]
                })
        }
        #expect(closing(due: 510) == [])
        #expect(closing(due: 1_600) == ["run: due 1100 ms after the close"])
        #expect(closing(due: 100) == ["run: due 400 ms before the close"])
    }

    // MARK: Applied, and pushes

    @Test func `APPLIED at the last moment leaves no push`() {
        let found = SceneChecker.violations(
            of: seen(.applied) { seen in
                seen.steps += [step(17_700, "applied"), step(17_700, "ended")]
                seen.state = "applied"
            })
        #expect(found == [])
    }

    @Test func `APPLIED that came before its moment proves nothing of the moment`() {
        let found = SceneChecker.violations(
            of: seen(.applied) { seen in
                seen.appliedFrom = Self.posted + 17_700
                seen.steps.append(step(9_000, "applied"))
                seen.state = "applied"
            })
        #expect(found == ["run: APPLIED was recorded 8700 ms too early"])
    }

    @Test func `APPLIED before the grace ends counts only for what was not written`() {
        let found = SceneChecker.violations(
            of: seen(.appliedUnwritten) { seen in
                seen.steps.append(step(2_700, "applied"))
                seen.state = "applied"
            })
        #expect(found == ["run: the record has a PUSHED that could not be"])
    }

    @Test func `every performance has users and a number of its own`() {
        let acts = SceneAct.plan(Scene.allCases, runs: 20, zombies: 200, repeats: 2)
        #expect(acts.map(\.number) == Array(1...acts.count))
        #expect(acts.count { $0.scene == .zombie } == 20)
        #expect(acts.reduce(0) { $0 + $1.users.count } == acts.last?.users.upperBound)
        #expect(Set(acts.map(\.name)).count == acts.count)
        #expect(acts.count <= LabAddresses.limit)
        #expect(Set(acts.map(\.scene)) == Set(Scene.allCases))
    }

    @Test func `a push for an applied entry is found`() {
        let found = SceneChecker.violations(
            of: seen(.applied) { seen in
                seen.steps.append(step(17_700, "applied"))
                seen.state = "applied"
                seen.pushes = [push(17_800)]
            })
        #expect(found == ["run: 1 pushes for an applied entry"])
    }

    @Test func `two pushes without a crash are found`() {
        let found = SceneChecker.violations(
            of: seen(.dueAtWindowEnd) { seen in
                seen.steps.append(step(18_030, "due", "confirm_window_over"))
                seen.state = "notified"
                seen.pushes = [push(18_050), push(18_060, "id-2")]
            })
        #expect(
            found == ["run: pushed under several apns-ids", "run: pushed 2 times without a crash"])
    }

    @Test func `scenes are named one by one or all together`() {
        #expect(Scene.list("zombie,frozen") == [.zombie, .frozen])
        #expect(Scene.list("all") == Scene.allCases)
        #expect(Scene.list("zombie,ghost") == nil)
    }

    // MARK: The server's audit

    @Test func `what the server's own audit finds is found`() {
        func page(_ violations: Int, rounds: Int) -> MetricsPage {
            MetricsPage("rouse_pd1_violations \(violations)\nrouse_pd1_audit_rounds_total \(rounds)\n")
        }
        #expect(AuditWitness.findings(page(0, rounds: 4), wanted: 4) == [])
        #expect(
            AuditWitness.findings(page(2, rounds: 5), wanted: 4)
                == ["the server's own audit counts 2 violations of PD-1"])
        #expect(
            AuditWitness.findings(page(0, rounds: 3), wanted: 4)
                == ["the server's audit does not come round"])
    }
}
