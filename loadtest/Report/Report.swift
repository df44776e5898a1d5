import Wire

/// The figures of a run, as a table for people and as JSON for programs.
struct Report: Equatable, Sendable {
    struct Figure: Equatable, Sendable {
        /// The name in JSON.
        let key: String
        let meaning: String
        let value: Double
        let unit: String
    }

    let title: String
    private(set) var figures: [Figure] = []
    /// The single runs behind the figures.
    var tables: [RowTable] = []
    /// What did not hold, in words.
    var violations: [String] = []

    init(_ title: String) { self.title = title }

    mutating func add(_ key: String, _ meaning: String, _ value: Double, _ unit: String = "") {
        figures.append(Figure(key: key, meaning: meaning, value: value, unit: unit))
    }

    mutating func add(_ key: String, _ meaning: String, _ value: Int, _ unit: String = "") {
        add(key, meaning, Double(value), unit)
    }

    subscript(_ key: String) -> Double? { figures.last { $0.key == key }?.value }

    var table: String {
        let texts = figures.map { Decimal.text($0.value) }
        let width = figures.map(\.meaning.count).max() ?? 0
        let valueWidth = texts.map(\.count).max() ?? 0
        let lines = zip(figures, texts).map { figure, text in
            let gap = String(repeating: " ", count: width - figure.meaning.count + valueWidth - text.count)
            return "  \(figure.meaning)  \(gap)\(text) \(figure.unit)"
        }
        let verdict = violations.isEmpty ? [] : ["does not hold:"] + violations.map { "  \($0)" }
        return ([title] + tables.flatMap(\.lines) + lines + verdict).joined(separator: "\n")
    }

    var json: [UInt8] {
        var writer = JSONWriter(capacity: 2_048)
        writer.beginObject()
        writer.member("title", title)
        writer.member("holds", violations.isEmpty)
        writer.key("figures")
        writer.beginObject()
        for figure in figures {
            writer.key(escaping: figure.key)
            writer.double(figure.value)
        }
        writer.endObject()
        for table in tables { table.write(to: &writer) }
        writer.key("violations")
        writer.beginArray()
        for violation in violations { writer.string(violation) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Prints the table, writes the file if one is named, and throws if something does not hold.
    func publish(json path: String?) throws(LoadtestFailure) {
        Output.print(table)
        if let path { try LocalFiles.write(json + [0x0a], to: path) }
        guard violations.isEmpty else { throw LoadtestFailure("\(violations.count) violations") }
    }
}

/// Numbers for the reader: thousands apart, and only as many decimals as say something.
enum Decimal {
    static func text(_ value: Double) -> String {
        guard value.isFinite else { return "-" }
        let decimals = abs(value) >= 100 || value == value.rounded() ? 0 : abs(value) >= 10 ? 1 : 2
        let scale = [1, 10, 100][decimals]
        let scaled = Int((abs(value) * Double(scale)).rounded())
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard decimals > 0 else { return sign + grouped(scaled) }
        let fraction = String(scaled % scale)
        let zeros = String(repeating: "0", count: decimals - fraction.count)
        return "\(sign)\(grouped(scaled / scale)).\(zeros)\(fraction)"
    }

    private static func grouped(_ number: Int) -> String {
        var digits = String(number)
        var at = digits.count - 3
        while at > 0 {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: at))
            at -= 3
        }
        return digits
    }
}
