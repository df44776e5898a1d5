/// Why the config cannot be used: the server does not start with half of it.
struct ConfigError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file, or the environment variable's name.
    let source: String
    var line: Int?
    var key: String?
    let problem: String

    var description: String {
        let place = line.map { "\(source):\($0)" } ?? source
        return [place, key, problem].compactMap { $0 }.joined(separator: ": ")
    }
}

/// What is wrong with one value, before it is known where the value stood.
struct ConfigComplaint: Error, Equatable {
    let text: String
    init(_ text: String) { self.text = text }
}
