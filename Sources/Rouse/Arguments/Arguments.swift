/// The words after a command's name, taken apart by the options it declares.
struct Arguments: Equatable, Sendable {
    let command: String
    private(set) var operands: [String] = []
    private var given: [String: [String]] = [:]

    /// Options may stand before, between and after the operands, as `--name
    /// value` or `--name=value`; after `--` everything is an operand.
    init(_ words: some Sequence<String>, of command: Command) throws(UsageError) {
        self.command = command.name
        var rest = Array(words)[...]
        var areOptionsOver = false
        while let word = rest.popFirst() {
            if areOptionsOver || !word.hasPrefix("-") || word == "-" {
                operands.append(word)
            } else if word == "--" {
                areOptionsOver = true
            } else {
                try take(word, &rest, of: command)
            }
        }
        try check(command.operands)
    }

    private mutating func take(
        _ word: String, _ rest: inout ArraySlice<String>, of command: Command
    ) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let attached = parts.count == 2 ? String(parts[1]) : nil
        guard parts[0].hasPrefix("--"),
            let option = command.options.first(where: { $0.name == parts[0].dropFirst(2) })
        else { throw problem("unknown option \(parts[0])") }
        guard given[option.name] == nil || option.isRepeatable else {
            throw problem("option --\(option.name) is given twice")
        }
        guard let placeholder = option.value else {
            guard attached == nil else { throw problem("option --\(option.name) takes no value") }
            given[option.name] = []
            return
        }
        guard let value = attached ?? rest.popFirst() else {
            throw problem("option --\(option.name) needs a value: --\(option.name) \(placeholder)")
        }
        given[option.name, default: []].append(value)
    }

    private func check(_ expected: Command.Operands) throws(UsageError) {
        if operands.count < expected.count.lowerBound {
            throw problem("\(expected.usage) is missing")
        }
        if operands.count > expected.count.upperBound {
            throw problem("unexpected argument \(operands[expected.count.upperBound])")
        }
    }

    /// Whether a flag, or an option with a value, was given.
    func has(_ name: String) -> Bool { given[name] != nil }

    /// The value of an option; nil if it was not given.
    subscript(_ name: String) -> String? { given[name]?.first }

    /// Every value of a repeatable option, in order.
    func all(_ name: String) -> [String] { given[name] ?? [] }

    /// The value of an option that must be given.
    func required(_ name: String) throws(UsageError) -> String {
        guard let value = self[name] else { throw problem("option --\(name) is missing") }
        return value
    }

    /// The whole number given to an option, or the default.
    func number(_ name: String, in range: ClosedRange<Int>, default standard: Int) throws(UsageError) -> Int {
        guard let text = self[name] else { return standard }
        guard let number = Int(text), range.contains(number) else {
            throw problem(
                "option --\(name) needs a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func problem(_ text: String) -> UsageError { UsageError(problem: text, command: command) }
}
