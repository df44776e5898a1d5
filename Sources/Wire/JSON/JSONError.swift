/// Why a text is not the JSON we take.
package struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was wrong, as a phrase without the place: `expected ',' or '}'`.
    package let problem: String
    /// The offset of the first byte that could not be taken.
    package let byteOffset: Int
    /// The line, counted from 1, where the reader knows it (JSON5).
    package let line: Int?

    package init(_ problem: String, byteOffset: Int, line: Int? = nil) {
        self.problem = problem
        self.byteOffset = byteOffset
        self.line = line
    }

    /// A sentence for people: `expected ',' or '}' at byte 17`.
    package var description: String {
        if let line { return "\(problem) at line \(line)" }
        return "\(problem) at byte \(byteOffset)"
    }
}
