/// How large a file and a line may be, and where things may lie.
enum SizeLimits {
    static let longestFile = 500
    static let longestLine = 110

    static func violations(in file: SourceFile) -> [Violation] {
        var found: [Violation] = []
        let count = file.lines.last == "" ? file.lines.count - 1 : file.lines.count
        if count > longestFile {
            found.append(Violation(path: file.path, line: 0, rule: "\(count) lines, over \(longestFile)"))
        }
        for (index, line) in file.lines.enumerated() where line.utf8.count > longestLine {
            let columns = line.count
            guard columns > longestLine, !isStringsFault(index, file) else { continue }
            found.append(Violation(path: file.path, line: index + 1, rule: "\(columns) columns"))
        }
        return found
    }

    /// A string may be longer than a line: broken up it could not be searched for.
    private static func isStringsFault(_ index: Int, _ file: SourceFile) -> Bool {
        guard file.has(".swift"), file.swift.comments[index].isEmpty else { return false }
        return file.swift.code[index].count <= longestLine
    }
}
