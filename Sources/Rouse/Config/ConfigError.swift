/// Why the config cannot be used: the server does not start with half of it.
package struct ConfigError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file, or the environment variable's name.
    package let source: String
    package var line: Int?
    package var key: String?
    package let problem: String

    package var description: String {
        let place = line.map { "\(source):\($0)" } ?? source
        return [place, key, problem].compactMap { $0 }.joined(separator: ": ")
    }
}

/// What is wrong with one value, before it is known where the value stood.
struct ConfigComplaint: Error, Equatable {
    let text: String
    init(_ text: String) { self.text = text }
}
