import Testing
import Wire

@testable import RouseLoadtest

@Suite struct ReportTests {
    @Test(arguments: [
        (0.0, "0"), (3.0, "3"), (3.14159, "3.14"), (31.4159, "31.4"), (314.159, "314"),
        (1_234_567.8, "1,234,568"), (0.004, "0.00"), (-12.0, "-12"), (9.999, "10.00"), (1_000, "1,000"),
    ])
    func `a number shows what it is worth`(value: Double, text: String) {
        #expect(Decimal.text(value) == text)
    }

    @Test func `the report is readable by programs`() throws {
        var report = Report("p0")
        report.add("rate", "pushes", 2.5, "/s")
        report.violations.append("one too many")
        let root = try JSONDocument(parsing: report.json).root
        #expect(root["figures"]?["rate"]?.double == 2.5)
        #expect(root["holds"]?.bool == false)
        #expect(root["violations"]?.elements.map { $0.string } == ["one too many"])
        #expect(report.table.contains("pushes  2.50 /s"))
    }

    @Test func `percentiles are times that occurred`() {
        var latencies = Latencies()
        #expect(latencies.percentile(50) == nil)
        for microseconds in 1...100 { latencies.add(nanoseconds: UInt64(microseconds) * 1_000) }
        #expect(latencies.percentile(50) == 50)
        #expect(latencies.percentile(99) == 99)
        #expect(latencies.percentile(100) == 100)
    }

    @Test func `the times of a process are read past any name`() throws {
        let line = try #require(
            ProcessStatistics.Line("7 (a (b) c) S 3 7 7 0 -1 4194560 1 2 3 4 150 50 25 75 20 0 1 0 100 5 6"))
        #expect(line.parent == 3)
        #expect(line.own == 2)
        #expect(line.waitedFor == 1)
        #expect(ProcessStatistics.Line("7 (short) S 3") == nil)
    }

    @Test func `what h2load says is read, and a failed request is no result`() throws {
        let output = """
            finished in 1.25s, 80000.50 req/s, 12.00MB/s
            status codes: 100000 2xx, 0 3xx, 0 4xx, 0 5xx
            """
        let ending = Child.Ending(code: 0, cpuSeconds: 0.5)
        let result = try H2Load.read(output, ending, 100_000)
        #expect(result.perSecond == 80_000.5)
        #expect(result.cpuMicroseconds == 5)
        #expect(throws: LoadtestFailure.self) { try H2Load.read(output, ending, 100_001) }
        #expect(throws: LoadtestFailure.self) {
            try H2Load.read(output, Child.Ending(code: 1, cpuSeconds: 0), 100_000)
        }
    }
}
