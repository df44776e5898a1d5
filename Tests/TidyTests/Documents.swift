import FoundationEssentials

/// The pages for people.
enum Documents {
    static let all: [SourceFile] = {
        let paths = ["README.md", "CONTRIBUTING.md"] + pages(in: "docs") + pages(in: "docs/decisions")
        return paths.compactMap { path in SourceTree.read(path).map { SourceFile(path, $0) } }
    }()

    static let taskStates = SourceTree.read("docs/task-states.md") ?? ""
    static let architecture = SourceTree.read("docs/architecture.md") ?? ""

    /// The words that a file's `case …: "word"` lines give.
    static func words(declaredIn path: String) -> [String] {
        (SourceTree.read(path) ?? "").split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0].contains("case ."), parts[0].hasSuffix(": "), !parts[1].isEmpty
            else { return nil }
            return String(parts[1])
        }
    }

    /// The strings of a file that look like `section.key`.
    static func keyPaths(in path: String) -> [String] {
        (SourceTree.read(path) ?? "").split(separator: "\"").map(String.init).filter { text in
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            return parts.count > 1
                && parts.allSatisfy { part in
                    !part.isEmpty && part.allSatisfy { $0.isLowercase || $0 == "_" }
                }
        }
    }

    /// The files of this repository that a page links to, from the root.
    static func links(in document: SourceFile) -> [String] {
        let folder = document.folders.joined(separator: "/")
        return document.lines.flatMap { line in
            line.split(separator: "](").dropFirst().compactMap { rest -> String? in
                let target = rest.prefix { $0 != ")" && $0 != "#" }
                guard !target.isEmpty, !target.contains("://") else { return nil }
                return folder.isEmpty ? String(target) : "\(folder)/\(target)"
            }
        }
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(SourceTree.root)/\(path)")
    }

    private static func pages(in folder: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "\(SourceTree.root)/\(folder)")
        return (names ?? []).sorted().filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
    }
}
