import Wire

/// How one case of `all` came out: by its exit code and its report, so that a case which could not even start
/// is neither green nor a sabotage that was found.
enum CaseVerdict: Equatable, Sendable {
    /// Everything held.
    case green
    /// Something did not; the first of it.
    case red(String)
    /// There is no report: it could not be done.
    case broken(String)
    case notRun(String)

    /// - Parameters:
    ///   - code: the process's exit code; negative: the signal that ended it; nil: it did not end in time.
    ///   - report: the file that it wrote, if it did.
    init(code: Int32?, report: [UInt8]?) {
        guard let code else {
            self = .broken("it did not end in time")
            return
        }
        guard let report, let root = (try? JSONDocument(parsing: report))?.root,
            let holds = root["holds"]?.bool
        else {
            self = .broken("no report, exit code \(code)")
            return
        }
        let violations = root["violations"]?.elements.compactMap(\.string) ?? []
        switch (code, holds, violations.first) {
        case (0, true, nil): self = .green
        case (1, false, .some(let first)): self = .red(first)
        default:
            self = .broken("exit code \(code), and the report says \(holds ? "it holds" : "it does not")")
        }
    }

    /// Whether it came out as it must: a case green, a sabotage red.
    func isRight(isSabotage: Bool) -> Bool {
        switch self {
        case .green: !isSabotage
        case .red: isSabotage
        case .broken, .notRun: false
        }
    }

    var word: String {
        switch self {
        case .green: "green"
        case .red: "red"
        case .broken: "BROKEN"
        case .notRun: "not run"
        }
    }

    var detail: String {
        switch self {
        case .green: ""
        case .red(let text), .broken(let text), .notRun(let text): text
        }
    }
}
