import Wire

/// A value as the config file or an environment variable gives it.
enum ConfigValue: Equatable {
    case file(JSON5Value)
    /// Text that becomes whatever its key wants.
    case variable(String)

    func text() throws(ConfigComplaint) -> String {
        switch self {
        case .file(let value):
            guard let text = value.string else { throw mismatch("a string", value) }
            return text
        case .variable(let text): return text
        }
    }

    /// Nil for `null`; an empty variable counts as that.
    func optionalText() throws(ConfigComplaint) -> String? {
        if isNull { return nil }
        return try text()
    }

    func number(in range: ClosedRange<Int64>) throws(ConfigComplaint) -> Int64 {
        let number: Int64?
        switch self {
        case .file(let value):
            guard case .integer(let integer) = value.content else { throw mismatch("a whole number", value) }
            number = integer
        case .variable(let text): number = Int64(text)
        }
        guard let number else { throw ConfigComplaint("expected a whole number") }
        guard range.contains(number) else {
            throw ConfigComplaint("must lie between \(range.lowerBound) and \(range.upperBound)")
        }
        return number
    }

    func flag() throws(ConfigComplaint) -> Bool {
        switch self {
        case .file(let value):
            guard let flag = value.bool else { throw mismatch("true or false", value) }
            return flag
        case .variable("true"): return true
        case .variable("false"): return false
        case .variable: throw ConfigComplaint("expected true or false")
        }
    }

    /// An array of strings; in a variable, separated by commas.
    func list() throws(ConfigComplaint) -> [String] {
        switch self {
        case .file(let value):
            guard let elements = value.elements else { throw mismatch("an array of strings", value) }
            var texts: [String] = []
            for element in elements {
                guard let text = element.string else { throw mismatch("an array of strings", element) }
                texts.append(text)
            }
            return texts
        case .variable(let text):
            return text.split(separator: ",").map { part in
                String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
        }
    }

    var isNull: Bool {
        switch self {
        case .file(let value): value.isNull
        case .variable(let text): text.isEmpty
        }
    }

    private func mismatch(_ wanted: String, _ value: JSON5Value) -> ConfigComplaint {
        ConfigComplaint("expected \(wanted), found \(value.kindInWords)")
    }
}
