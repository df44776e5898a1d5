/// Names and remarks that say nothing.
enum WordRules {
    private static let folders: Set<String> = [
        "Utils", "Utilities", "Helpers", "Common", "Shared", "Managers", "Models", "Misc", "New",
    ]
    private static let endings = [
        "Manager", "Helper", "Helpers", "Utils", "Utilities", "Processor", "Handler",
    ]
    private static let remarks = ["TODO", "FIXME", "XXX", "HACK"]

    /// Folders and files that are named after no concept.
    static func emptyNames(in file: SourceFile) -> [Violation] {
        var found = file.folders.filter(folders.contains).map {
            Violation(path: file.path, line: 0, rule: "a folder is named after a concept, not \($0)")
        }
        let stem = file.name.prefix { $0 != "." && $0 != "+" }
        if file.has(".swift"), endings.contains(where: stem.hasSuffix) {
            found.append(Violation(path: file.path, line: 0, rule: "a type is named after what it does"))
        }
        return found
    }

    /// Work left for later: it belongs into an issue.
    static func leftovers(in file: SourceFile) -> [Violation] {
        let text = file.has(".swift") ? file.swift.comments : file.lines
        return text.enumerated().compactMap { index, line in
            let words = line.split { !$0.isLetter }
            guard let remark = remarks.first(where: { words.contains(Substring($0)) }) else { return nil }
            return Violation(path: file.path, line: index + 1, rule: "\(remark) in the source")
        }
    }

    /// SQL that does not say what it guarantees.
    static func missingHeader(in file: SourceFile) -> [Violation] {
        guard file.has(".sql") else { return [] }
        if let first = file.lines.first, first.hasPrefix("-- "), first.utf8.count > 10 { return [] }
        return [
            Violation(path: file.path, line: 1, rule: "a statement begins with a comment on what it does")
        ]
    }
}
