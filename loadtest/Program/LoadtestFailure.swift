/// The run could not be done, or what it looked at does not hold. Exit code 1.
struct LoadtestFailure: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The words were wrong: nothing was started. Exit code 2.
struct UsageFailure: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
