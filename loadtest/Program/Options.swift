/// An option of a command: a name, what its value is called, what it means.
struct Option: Sendable, Equatable {
    let name: String
    /// Empty: the option is a switch and takes none.
    let value: String
    let meaning: String

    init(_ name: String, _ value: String, _ meaning: String) {
        self.name = name
        self.value = value
        self.meaning = meaning
    }

    static func flag(_ name: String, _ meaning: String) -> Option { Option(name, "", meaning) }
}

/// The words after a command's name: `--name value` or `--name=value`, each once.
struct Options: Equatable, Sendable {
    private var given: [String: String] = [:]

    init(_ words: some Sequence<String>, known: [Option]) throws(UsageFailure) {
        var rest = Array(words)[...]
        while let word = rest.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0].dropFirst(2))
            guard word.hasPrefix("--"), let option = known.first(where: { $0.name == name }) else {
                throw UsageFailure("unknown option \(parts[0])")
            }
            guard given[name] == nil else { throw UsageFailure("option --\(name) is given twice") }
            if option.value.isEmpty {
                guard parts.count == 1 else { throw UsageFailure("option --\(name) takes no value") }
                given[name] = ""
                continue
            }
            guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                throw UsageFailure("option --\(name) needs a value")
            }
            given[name] = value
        }
    }

    subscript(_ name: String) -> String? { given[name] }

    /// Whether a switch is set.
    func has(_ name: String) -> Bool { given[name] != nil }

    /// The whole number given to an option, or the default.
    func number(_ name: String, in range: ClosedRange<Int>, default standard: Int) throws(UsageFailure) -> Int
    {
        guard let text = given[name] else { return standard }
        guard let number = Int(text), range.contains(number) else {
            throw UsageFailure(
                "option --\(name) needs a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func required(_ name: String) throws(UsageFailure) -> String {
        guard let value = given[name] else { throw UsageFailure("option --\(name) is missing") }
        return value
    }
}
