/// The texts of `rouse help`.
struct Help {
    let commands: [Command]

    /// All commands, one line each.
    var overview: String {
        let width = commands.map(\.name.count).max() ?? 0
        let lines = commands.map { "  \(padded($0.name, to: width))  \($0.summary)" }
        return """
            rouse: decides, device by device, who must be woken, and wakes them.

            Usage: rouse COMMAND [OPTIONS]

            \(lines.joined(separator: "\n"))
              \(padded("help", to: width))  Explain a command: rouse help COMMAND
              \(padded("--version", to: width))  Tell the version

            Exit codes: 0 done, 1 failed, 2 wrong usage.
            """
    }

    /// One command in full.
    func page(_ command: Command) -> String {
        var text = "\(command.summary)\n\nUsage: \(command.usageLine)"
        let names = command.options.map { option in
            "--\(option.name)" + (option.value.map { " \($0)" } ?? "")
        }
        if let width = names.map(\.count).max() {
            let lines = zip(names, command.options).map { name, option in
                "  \(padded(name, to: width))  \(option.meaning)"
            }
            text += "\n\n" + lines.joined(separator: "\n")
        }
        if !command.details.isEmpty { text += "\n\n" + command.details }
        return text
    }

    private func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
