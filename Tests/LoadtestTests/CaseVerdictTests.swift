import Testing

@testable import RouseLoadtest

@Suite struct CaseVerdictTests {
    private static let holding = Array(#"{"holds":true,"violations":[]}"#.utf8)
    private static let failing = Array(#"{"holds":false,"violations":["a push is missing: x","else"]}"#.utf8)

    @Test func `a case is green by its report and its exit code together`() {
        #expect(CaseVerdict(code: 0, report: Self.holding) == .green)
        #expect(CaseVerdict(code: 1, report: Self.failing) == .red("a push is missing: x"))
    }

    @Test func `what could not be done is neither green nor a sabotage that was found`() {
        let verdicts = [
            CaseVerdict(code: 1, report: nil), CaseVerdict(code: nil, report: Self.holding),
            CaseVerdict(code: 1, report: Self.holding), CaseVerdict(code: 0, report: Self.failing),
            CaseVerdict(code: -9, report: Self.failing), CaseVerdict(code: 1, report: Array("{".utf8)),
            .notRun("needs root"),
        ]
        for verdict in verdicts {
            #expect(!verdict.isRight(isSabotage: false))
            #expect(!verdict.isRight(isSabotage: true))
        }
    }

    @Test func `a case must be green and a sabotage red`() {
        #expect(CaseVerdict.green.isRight(isSabotage: false))
        #expect(!CaseVerdict.green.isRight(isSabotage: true))
        #expect(CaseVerdict.red("x").isRight(isSabotage: true))
        #expect(!CaseVerdict.red("x").isRight(isSabotage: false))
    }

    @Test func `every case of N-1 to N-7 and of quiet hours is run, and each with its sabotage`() {
        for isSabotage in [false, true] {
            let names = AllRun.jobs.filter { $0.isSabotage == isSabotage }.map(\.name).sorted()
            #expect(names == ["n1", "n2", "n3", "n4", "n5", "n6", "n7", "quiet"])
        }
        #expect(AllRun.jobs.allSatisfy { $0.arguments.contains("--sabotage") == $0.isSabotage })
    }
}
