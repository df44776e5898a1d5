/// One thing the program does: its name, what it takes, how it is explained, and what runs.
struct Command: Sendable {
    /// One word, or two (`tenant create`).
    let name: String
    /// What follows the options, as shown in the usage line; empty if nothing may.
    var operands = Operands.none
    /// One line.
    let summary: String
    var options: [CommandOption] = []
    /// Shown below the options by `rouse help COMMAND`: at most a handful of lines.
    var details = ""
    /// Works until it is told to stop.
    var isService = false
    /// Runs to its end; the exit code of success is 0.
    let run: @Sendable (Arguments, Terminal) async throws -> Void

    /// How many words may follow, and what they are called.
    struct Operands: Sendable {
        let usage: String
        let count: ClosedRange<Int>

        static let none = Operands(usage: "", count: 0...0)
        static func one(_ name: String) -> Operands { Operands(usage: name, count: 1...1) }
        static func optional(_ name: String) -> Operands { Operands(usage: "[\(name)]", count: 0...1) }
        static func some(_ name: String, upTo most: Int) -> Operands {
            Operands(usage: "\(name)…", count: 1...most)
        }
    }

    var usageLine: String {
        let options = options.isEmpty ? "" : " [OPTIONS]"
        let operands = operands.usage.isEmpty ? "" : " \(operands.usage)"
        return "rouse \(name)\(options)\(operands)"
    }
}

/// An option of a command: a flag, or a name with a value.
struct CommandOption: Sendable, Equatable {
    /// Without its dashes.
    let name: String
    /// What the value is called in the usage; nil: a flag.
    let value: String?
    let meaning: String
    var isRepeatable = false

    static func flag(_ name: String, _ meaning: String) -> CommandOption {
        CommandOption(name: name, value: nil, meaning: meaning)
    }

    static func value(_ name: String, _ value: String, _ meaning: String) -> CommandOption {
        CommandOption(name: name, value: value, meaning: meaning)
    }

    static func values(_ name: String, _ value: String, _ meaning: String) -> CommandOption {
        CommandOption(name: name, value: value, meaning: meaning, isRepeatable: true)
    }
}

/// The words were wrong: nothing was done. Exit code 2.
struct UsageError: Error, Equatable, CustomStringConvertible {
    let problem: String
    /// The command whose help would explain it; nil: none was recognised.
    var command: String?

    var description: String { problem }
}

/// The command was understood and could not do its work. Exit code 1.
struct CommandFailure: Error, Equatable, CustomStringConvertible {
    let problem: String

    init(_ problem: String) { self.problem = problem }

    var description: String { problem }
}
