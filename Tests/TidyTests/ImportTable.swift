/// Which room may know which: the table of `docs/architecture.md`.
enum ImportTable {
    struct Room: Sendable {
        let rooms: Set<String>
        let others: Set<String>

        init(_ rooms: Set<String>, others: Set<String> = []) {
            self.rooms = rooms
            self.others = others
        }
    }

    /// Modules that come with the toolchain; Foundation is only where a room names it.
    private static let shell: Set<String> = ["Dispatch", "Glibc", "Synchronization"]

    static let rooms: [String: Room] = [
        "Domain": Room([]),
        "Wire": Room([], others: ["COpenSSL", "CNGHTTP2", "Synchronization"]),
        "EventLoop": Room(["Wire"], others: shell.union(["CLinux"])),
        "HTTP": Room(["Wire", "EventLoop"], others: shell),
        "Telemetry": Room([], others: ["Synchronization"]),
        "Engine": Room(["Domain"], others: ["Synchronization"]),
        "Store": Room(["Domain", "Engine", "Wire", "EventLoop"], others: shell.union(["CPostgres"])),
        "Providers": Room(["Domain", "Engine", "Wire", "EventLoop", "HTTP"], others: shell),
        "Gateway": Room(["Domain", "Engine", "Wire", "EventLoop", "HTTP", "Telemetry"], others: shell),
        "API": Room(
            ["Domain", "Engine", "Wire", "EventLoop", "HTTP", "Telemetry", "Gateway"], others: shell),
        "Simulator": Room(["Wire", "EventLoop", "HTTP"], others: shell),
        "RouseKit": Room([], others: ["Foundation", "FoundationEssentials"]),
        "Rouse": Room(
            [
                "Domain", "Engine", "Store", "Providers", "Gateway", "API", "Telemetry", "Simulator", "HTTP",
                "EventLoop", "Wire", "RouseKit",
            ], others: shell),
        "loadtest": Room(
            ["Domain", "Engine", "Store", "Providers", "Simulator", "HTTP", "EventLoop", "Wire"],
            others: shell),
        "EmbedTool": Room([], others: ["FoundationEssentials"]),
    ]

    /// The one file that may import a C library and holds its unsafe calls.
    static let fences: [String: String] = [
        "CLinux": "Sources/EventLoop/System/SystemCalls.swift",
        "CPostgres": "Sources/Store/Postgres/LibPQ.swift",
        "COpenSSL": "Sources/Wire/Crypto/OpenSSL.swift",
        "CNGHTTP2": "Sources/Wire/HTTP2/NGHTTP2.swift",
    ]

    /// Imports that the room of the file, or the fence of a C library, does not allow.
    static func violations(in file: SourceFile) -> [Violation] {
        guard let name = file.room, file.has(".swift") else { return [] }
        guard let room = rooms[name] else {
            return [Violation(path: file.path, line: 0, rule: "the room \(name) is not in the import table")]
        }
        return imports(of: file).compactMap { line, module in
            if !room.rooms.contains(module) && !room.others.contains(module) {
                return Violation(path: file.path, line: line, rule: "\(name) may not import \(module)")
            }
            if let fence = fences[module], fence != file.path {
                return Violation(path: file.path, line: line, rule: "only \(fence) may import \(module)")
            }
            return nil
        }
    }

    /// The modules a file imports, whatever the access, the attributes and the kind of the import.
    static func imports(of file: SourceFile) -> [(line: Int, module: String)] {
        var found: [(Int, String)] = []
        for (index, line) in file.swift.code.enumerated() where line.contains("import ") {
            let words = line.split(whereSeparator: { " \t;".contains($0) })
            guard let keyword = words.firstIndex(of: "import"), keyword + 1 < words.count,
                words[..<keyword].allSatisfy({ isModifier($0) })
            else { continue }
            var named = words[keyword + 1]
            if kinds.contains(named), keyword + 2 < words.count { named = words[keyword + 2] }
            found.append((index + 1, String(named.prefix { $0 != "." })))
        }
        return found
    }

    private static let kinds: Set<Substring> = [
        "struct", "class", "enum", "protocol", "typealias", "func", "let", "var",
    ]

    private static func isModifier(_ word: Substring) -> Bool {
        word.hasPrefix("@") || ["public", "package", "internal", "fileprivate", "private"].contains(word)
    }
}
