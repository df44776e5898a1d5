/// What happened in a world, for people: kept where a failing seed is told, and where two runs are compared.
final class Journal {
    let isKept: Bool
    private(set) var lines: [String] = []

    init(isKept: Bool) { self.isKept = isKept }

    func note(_ milliseconds: Int64, _ text: @autoclosure () -> String) {
        guard isKept else { return }
        lines.append("\(milliseconds) ms: \(text())")
    }
}
