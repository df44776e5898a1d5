import Testing

@Suite struct ImportTableTests {
    @Test func `every room imports only what the table gives it`() {
        expectNone(SourceTree.sources.flatMap(ImportTable.violations))
    }

    @Test func `each C library is imported by the one file that fences it`() {
        for (library, fence) in ImportTable.fences {
            let importers = SourceTree.files.filter { file in
                file.has(".swift") && ImportTable.imports(of: file).contains { $0.module == library }
            }
            #expect(importers.map(\.path) == [fence], "importers of \(library)")
        }
    }

    @Test func `no room knows itself in a circle`() {
        var settled: Set<String> = []
        for _ in ImportTable.rooms {
            for (name, room) in ImportTable.rooms where room.rooms.isSubset(of: settled) {
                settled.insert(name)
            }
        }
        #expect(settled == Set(ImportTable.rooms.keys))
    }

    @Test(arguments: [
        "import Dispatch", "package import Engine", "@preconcurrency import Glibc", "import struct Wire.Hex",
        "@testable private import Store", "import FoundationEssentials; import Engine",
    ])
    func `an import that the table lacks is found`(line: String) {
        let file = SourceFile("Sources/Domain/User/Bad.swift", "/// Bad.\n\(line)\n")
        #expect(ImportTable.violations(in: file).map(\.line) == [2])
    }

    @Test func `an import in a comment or a string is none`() {
        let file = SourceFile(
            "Sources/Domain/User/Good.swift",
            "// import Dispatch\nlet text = \"import Glibc\"\n/*\nimport Wire\n*/")
        #expect(ImportTable.violations(in: file) == [])
    }

    @Test func `a C library outside its fence is found`() {
        let file = SourceFile("Sources/Wire/TLS/Bad.swift", "import COpenSSL")
        #expect(ImportTable.violations(in: file).count == 1)
    }

    @Test func `a room that the table lacks is found`() {
        let file = SourceFile("Sources/Attic/Bad.swift", "let a = 1")
        #expect(ImportTable.violations(in: file).count == 1)
    }
}
