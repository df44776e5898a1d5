/// From words to a command that ran: finds it, explains it, and turns failures into exit codes.
struct CommandLineProgram: Sendable {
    static let done: Int32 = 0
    static let failed: Int32 = 1
    static let misused: Int32 = 2

    let commands: [Command]
    let terminal: Terminal

    /// - Parameter words: without the program's own name.
    func run(_ words: [String]) async -> Int32 {
        do {
            try await dispatch(words)
            return Self.done
        } catch let error as UsageError {
            let help = error.command.map { "rouse help \($0)" } ?? "rouse help"
            terminal.err("rouse: \(error.problem)\nSee `\(help)`.")
            return Self.misused
        } catch {
            terminal.err("rouse: \(error)")
            return Self.failed
        }
    }

    private func dispatch(_ words: [String]) async throws {
        guard let first = words.first else {
            terminal.err(Help(commands: commands).overview)
            throw UsageError(problem: "a command is missing")
        }
        switch first {
        case "--version", "-V", "version": return terminal.out("rouse \(Version.text)")
        case "--help", "-h", "help": return try help(Array(words.dropFirst()))
        default: break
        }
        let (command, rest) = try find(words)
        if rest.contains("--help") || rest.contains("-h") {
            return terminal.out(Help(commands: commands).page(command))
        }
        let arguments = try Arguments(rest, of: command)
        try await command.run(arguments, terminal)
    }

    private func help(_ words: [String]) throws(UsageError) {
        let help = Help(commands: commands)
        guard let first = words.first else { return terminal.out(help.overview) }
        let family = commands.filter { $0.name.hasPrefix(first + " ") }
        if words.count == 1, !family.isEmpty {
            return terminal.out(family.map(help.page).joined(separator: "\n\n"))
        }
        let (command, rest) = try find(words)
        if let extra = rest.first { throw UsageError(problem: "unexpected argument \(extra)") }
        terminal.out(help.page(command))
    }

    /// The command that the words begin with, of two words before one of one.
    private func find(_ words: [String]) throws(UsageError) -> (Command, ArraySlice<String>) {
        for length in [2, 1] where words.count >= length {
            let name = words[..<length].joined(separator: " ")
            if let command = commands.first(where: { $0.name == name }) { return (command, words[length...]) }
        }
        let family = commands.filter { $0.name.hasPrefix(words[0] + " ") }
        guard family.isEmpty else {
            let names = family.map { String($0.name.dropFirst(words[0].count + 1)) }.joined(separator: ", ")
            throw UsageError(problem: "rouse \(words[0]) needs one of: \(names)", command: words[0])
        }
        throw UsageError(problem: "unknown command \(words[0])")
    }
}

/// What this build calls itself.
enum Version {
    static let text = "0.1.0"
}
