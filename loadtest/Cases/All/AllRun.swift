import EventLoop
import Glibc

/// Every acceptance case, and every sabotage of one.
enum AllRun {
    static let command = LoadtestCommand(
        name: "all",
        summary: "N-1 to N-7 and quiet hours in small, and each with its rule switched off: one table",
        options: [
            LoadtestCommand.rouse,
            .flag("sabotage", "Only the sabotages: succeeds if each is red"),
            .flag("green", "Only the cases themselves"),
            .flag("without-root", "Leave out what needs root (n2), which else fails without it"),
            Option("cases", "LIST", "Only these, with commas"),
            Option("jobs", "N", "How many run at once (3)"), LoadtestCommand.json,
        ],
        details: """
            Each case is a process of its own, with a server, providers and a Postgres of its own; most of their
            time they wait. Sizes are such that all of it takes less than ten minutes on two cores. Succeeds if
            each case is green and each sabotage red, by its report. The reports of what came out otherwise are
            printed whole.
            """,
        run: { options in try await Run(options).run() })

    /// One process.
    struct Job: Equatable, Sendable {
        let name: String
        let isSabotage: Bool
        let arguments: [String]

        var title: String { isSabotage ? "\(name) --sabotage" : name }
    }

    /// Sizes that show what the case is about; the longest first, so that none is left for last.
    static let jobs: [Job] = {
        let sizes: [(String, [String], [String])] = [
            ("n7", [], ["--bursts", "4"]), ("n6", [], ["--operations", "3000"]),
            ("n2", ["--runs", "4", "--zombies", "20", "--repeats", "1"], ["--scenes", "zombie,frozen"]),
            ("n5", ["--users", "60", "--held", "20"], ["--users", "20", "--held", "4"]),
            (
                "n1", ["--users", "500", "--messages", "4", "--rate", "200"],
                ["--users", "50", "--messages", "2", "--settle", "2"]
            ),
            ("n4", ["--users", "12"], ["--users", "8", "--scenes", "merging,accepted,partial,recalled"]),
            ("n3", ["--users", "200"], ["--users", "40", "--waiting", "20"]),
            ("quiet", ["--users", "120"], ["--users", "30", "--waiting", "10"]),
        ]
        return sizes.map { Job(name: $0.0, isSabotage: false, arguments: $0.1) }
            + sizes.map { Job(name: $0.0, isSabotage: true, arguments: $0.2 + ["--sabotage"]) }
    }()

    struct Outcome: Sendable {
        let job: Job
        let verdict: CaseVerdict
        let seconds: Int
        let log: String
    }

    private struct Run: Sendable {
        private static let limitMilliseconds = 400_000

        private let program: String
        private let chosen: [Job]
        private let atOnce: Int
        private let json: String?
        private let skipsRoot: Bool

        init(_ options: Options) throws(UsageFailure) {
            program = options["rouse"] ?? ServerProcess.standardProgram
            atOnce = try options.number("jobs", in: 1...16, default: 3)
            json = options["json"]
            skipsRoot = options.has("without-root")
            let names = Set(AllRun.jobs.map(\.name))
            let wanted = options["cases"].map { Set($0.split(separator: ",").map(String.init)) } ?? names
            guard wanted.isSubset(of: names) else {
                throw UsageFailure("option --cases knows \(names.sorted().joined(separator: ", "))")
            }
            let (onlySabotage, onlyGreen) = (options.has("sabotage"), options.has("green"))
            chosen = AllRun.jobs.filter {
                wanted.contains($0.name) && ($0.isSabotage ? !onlyGreen : !onlySabotage)
            }
        }

        func run() async throws {
            guard LocalFiles.exists(program) else {
                throw LoadtestFailure("\(program) is not there: build it, or name it with --rouse")
            }
            let directory = try LocalFiles.makeScratchDirectory()
            let begun = MonotonicClock.now()
            var outcomes: [Outcome] = []
            await withTaskGroup(of: Outcome.self) { group in
                var rest = chosen[...]
                for job in rest.prefix(atOnce) { group.addTask { await perform(job, directory) } }
                rest = rest.dropFirst(atOnce)
                for await outcome in group {
                    outcomes.append(outcome)
                    tell(outcome)
                    if let job = rest.popFirst() { group.addTask { await perform(job, directory) } }
                }
            }
            try report(outcomes, seconds: Int((MonotonicClock.now() - begun) / 1_000_000_000))
        }

        private func perform(_ job: Job, _ directory: String) async -> Outcome {
            let begun = MonotonicClock.now()
            let stem = "\(directory)/\(job.name)\(job.isSabotage ? "-sabotage" : "")"
            func outcome(_ verdict: CaseVerdict) -> Outcome {
                Outcome(
                    job: job, verdict: verdict, seconds: Int((MonotonicClock.now() - begun) / 1_000_000_000),
                    log: LocalFiles.readText("\(stem).out") ?? "")
            }
            if job.name == "n2", geteuid() != 0 { return outcome(.notRun("needs root")) }
            do {
                let words = [
                    "/proc/self/exe", job.name, "--rouse", program, "--json", "\(stem).json",
                ]
                let child = try Child(job.title, words + job.arguments, output: "\(stem).out")
                let ending = await child.ended(withinMilliseconds: Self.limitMilliseconds)
                if ending == nil { child.signal(SIGTERM) }
                return outcome(
                    CaseVerdict(code: ending?.code, report: LocalFiles.read("\(stem).json")))
            } catch {
                return outcome(.broken("\(error)"))
            }
        }

        private func isRight(_ outcome: Outcome) -> Bool {
            if case .notRun = outcome.verdict { return skipsRoot }
            return outcome.verdict.isRight(isSabotage: outcome.job.isSabotage)
        }

        private func tell(_ outcome: Outcome) {
            Progress.say("\(outcome.job.title): \(outcome.verdict.word) after \(outcome.seconds) s")
            if !isRight(outcome) { Progress.say("its report:\n\(outcome.log)") }
        }

        private func report(_ outcomes: [Outcome], seconds: Int) throws {
            var report = Report("all: \(outcomes.count) runs, \(atOnce) at once, \(seconds) s")
            var table = RowTable(
                "cases",
                [
                    .init("case", "case"), .init("seconds", "seconds"), .init("verdict", "verdict"),
                    .init("is_right", "as it must be"), .init("detail", "what does not hold, first"),
                ])
            for job in chosen {
                guard let outcome = outcomes.first(where: { $0.job == job }) else { continue }
                table.add([
                    .text(job.title), .number(Int64(outcome.seconds)), .text(outcome.verdict.word),
                    .text(isRight(outcome) ? "yes" : "NO"),
                    .text(String(outcome.verdict.detail.prefix(70))),
                ])
                if !isRight(outcome) {
                    report.violations.append("\(job.title) is \(outcome.verdict.word)")
                }
            }
            report.tables = [table]
            try report.publish(json: json)
        }
    }
}
