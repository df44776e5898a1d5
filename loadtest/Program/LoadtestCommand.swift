/// One thing the harness does.
struct LoadtestCommand: Sendable {
    let name: String
    let summary: String
    let options: [Option]
    /// Shown below the options.
    let details: String
    /// Throws if it could not be done or does not hold.
    let run: @Sendable (Options) async throws -> Void

    static let json = Option("json", "FILE", "Write the report here, too")
    static let rouse = Option("rouse", "PATH", "The server's program (.build/release/rouse)")

    var help: String {
        let names = options.map { $0.value.isEmpty ? "--\($0.name)" : "--\($0.name) \($0.value)" }
        let width = names.map(\.count).max() ?? 0
        let lines = zip(names, options).map { name, option in
            "  \(name)\(String(repeating: " ", count: width - name.count))  \(option.meaning)"
        }
        return """
            \(summary)

            Usage: rouse-loadtest \(name) [OPTIONS]

            \(lines.joined(separator: "\n"))

            \(details)
            """
    }
}
