import FoundationEssentials
import Testing

/// One file of the source tree, as text.
struct SourceFile: Sendable {
    /// From the root of the package, for example `Sources/Domain/User/User.swift`.
    let path: String
    let lines: [String]
    /// Empty for what is not Swift.
    let swift: SwiftText

    init(_ path: String, _ text: String) {
        self.path = path
        lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        swift = SwiftText(path.hasSuffix(".swift") ? lines : [])
    }

    /// The folders above the file.
    var folders: [String] { path.split(separator: "/").dropLast().map(String.init) }

    var name: String { String(path.split(separator: "/").last ?? "") }

    /// The room that the file belongs to; nil in the tests.
    var room: String? {
        if folders.first == "loadtest" { return "loadtest" }
        return folders.count >= 2 && folders[0] == "Sources" ? folders[1] : nil
    }

    func has(_ suffix: String) -> Bool { path.hasSuffix(suffix) }
}

/// A rule that a line breaks.
struct Violation: Equatable, CustomStringConvertible {
    let path: String
    /// From 1; 0 where the file as a whole is meant.
    let line: Int
    let rule: String

    var description: String { "\(path):\(line): \(rule)" }
}

/// What is in the repository: read once, from where this file was compiled.
enum SourceTree {
    static let files: [SourceFile] = {
        var files: [SourceFile] = []
        for folder in ["Sources", "Tests", "Plugins", "loadtest", "migrations"] { collect(folder, &files) }
        return files
    }()

    static let sources = files.filter { $0.room != nil }

    static let root: String = {
        let folders = #filePath.split(separator: "/").dropLast(3)
        return "/" + folders.joined(separator: "/")
    }()

    private static func collect(_ folder: String, _ files: inout [SourceFile]) {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)")
        for name in (names ?? []).sorted() where !name.hasPrefix(".") {
            let path = "\(folder)/\(name)"
            if kinds.contains(where: path.hasSuffix) {
                if let text = read(path) { files.append(SourceFile(path, text)) }
            } else {
                collect(path, &files)
            }
        }
    }

    /// What the rules speak of.
    private static let kinds = [".swift", ".sql", ".h", ".modulemap"]

    /// A file's text, by its path from the root; nil if there is none.
    static func read(_ path: String) -> String? {
        try? String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
    }
}

/// One issue for each violation, so that the report is a list to work through.
func expectNone(_ violations: [Violation], _ location: SourceLocation = #_sourceLocation) {
    for violation in violations { Issue.record("\(violation)", sourceLocation: location) }
}
