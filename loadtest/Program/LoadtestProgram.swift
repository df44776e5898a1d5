/// From words to a command that ran and left nothing behind.
enum LoadtestProgram {
    private static let commands = [
        SenderBenchmark.command, IngestBenchmark.command, GroupBenchmark.command,
        GrowthBenchmark.command, CrashRun.command, N1Case.command, NetworkRun.command, N3Case.command,
        N4Case.command, N5Case.command, N6Case.command, N7Case.command, CallCase.command, QuietCase.command,
        AllRun.command,
        FailoverRun.command, StormCase.command, OnlineBenchmark.command, IdleBenchmark.command,
    ]
    private static let hidden = [ProviderCommand.command, DeviceCommand.command]

    /// The exit code: 0 done and holding, 1 failed, 2 wrong usage.
    static func run(_ words: [String]) async -> Int32 {
        do {
            try await dispatch(words)
            await Cleanup.run()
            return 0
        } catch let failure as UsageFailure {
            Progress.say("\(failure)\nSee `rouse-loadtest --help`.")
            return 2
        } catch {
            Progress.say("\(error)")
            await Cleanup.run(failed: true)
            return 1
        }
    }

    private static func dispatch(_ words: [String]) async throws {
        guard let first = words.first, first != "--help", first != "-h", first != "help" else {
            return Output.print(overview)
        }
        guard let command = (commands + hidden).first(where: { $0.name == first }) else {
            throw UsageFailure("unknown command \(first)")
        }
        let rest = words.dropFirst()
        if rest.contains("--help") || rest.contains("-h") { return Output.print(command.help) }
        let options = try Options(rest, known: command.options)
        Cleanup.watchSignals()
        try await command.run(options)
    }

    private static var overview: String {
        let width = commands.map(\.name.count).max() ?? 0
        let lines = commands.map {
            "  \($0.name)\(String(repeating: " ", count: width - $0.name.count))  \($0.summary)"
        }
        return """
            rouse-loadtest: drives a real server and shows its figures beside references of the same run.

            Usage: rouse-loadtest COMMAND [OPTIONS]

            \(lines.joined(separator: "\n"))

            `rouse-loadtest COMMAND --help` explains one. Exit codes: 0 done and holding, 1 failed, 2 usage.
            """
    }
}
