import FoundationEssentials

/// Turns data files of a target into one Swift file, while building.
///
/// Usage: `embed sql OUTPUT --queries FILE… --migrations FILE…`, or `embed catalogs OUTPUT FILE…`
@main struct Embed {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2 else { throw Refusal("usage: embed sql|catalogs OUTPUT ...") }
        let rest = Array(arguments.dropFirst(2))
        switch arguments[0] {
        case "sql": try write(try EmbeddedSQL.declarations(rest), to: arguments[1])
        case "catalogs": try write(try EmbeddedCatalogs.declarations(rest), to: arguments[1])
        case let other: throw Refusal("\(other) cannot be embedded")
        }
    }

    /// An unchanged file keeps its time, so that nothing is compiled again for it.
    private static func write(_ text: String, to output: String) throws {
        if (try? String(contentsOf: URL(filePath: output), encoding: .utf8)) == text { return }
        try Data(text.utf8).write(to: URL(filePath: output))
    }

    /// A one-line literal: any text survives it, also one that holds `"""#`.
    static func literal(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\r": out += "\\r"
            case "\t": out += "\\t"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }
}

struct Refusal: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
