/// A seed that fails, as it is told.
struct Failure: Sendable {
    let seed: UInt64
    let violation: Violation
    let smallest: Run

    init(_ run: Run, _ violation: Violation) {
        seed = run.seed
        smallest = Seeds.shrinks ? Shrinking(run, violation).smallest : run
        self.violation = smallest.violation() ?? violation
    }
}

extension Failure: CustomStringConvertible {
    private static let mostLines = 60

    var description: String {
        let lines = smallest.lines().suffix(Self.mostLines).joined(separator: "\n    ")
        return """
            seed \(seed) breaks: \(violation.sentence)
            at \(violation.at) ms: \(violation.what)
            \(smallest.steps.count) of its steps are enough, \(smallest.steps):
                \(lines)
            again: ROUSE_SEED=\(seed) swift test --disable-xctest --filter Simulation
            """
    }
}
