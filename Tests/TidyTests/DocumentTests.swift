import Testing

/// The documents say what the sources say.
@Suite struct DocumentTests {
    @Test func `the page on task states knows every word of an outcome, a reason and a state`() {
        for source in ["Outcome.swift", "MergeGroup.swift"] {
            let words = Documents.words(declaredIn: "Sources/Domain/Push/\(source)")
            #expect(words.count >= 4)
            for word in words {
                let isExplained = Documents.taskStates.contains("`\(word)`")
                #expect(isExplained, "the word \(word)")
            }
        }
    }

    @Test func `the page on rooms has the edges of the import table`() {
        for (name, room) in ImportTable.rooms
        where !["Rouse", "RouseKit", "EmbedTool", "loadtest"].contains(name) {
            let row = Documents.architecture.split(separator: "\n").first { $0.hasPrefix("| `\(name)` |") }
            let cell = row?.split(separator: "|").last(where: { $0 != " " }) ?? ""
            let named = Set(cell.split(separator: "`").map(String.init)).intersection(ImportTable.rooms.keys)
            #expect(named == room.rooms, "the row of \(name)")
        }
    }

    @Test func `every room of the sources is in the map`() {
        for room in Set(SourceTree.sources.compactMap(\.room)) {
            let isNamed = Documents.architecture.contains("`\(room)`")
            #expect(isNamed, "the room \(room)")
        }
    }

    @Test func `the example config has every key of the config`() {
        let example = SourceTree.read("deploy/rouse.json5") ?? ""
        let paths = Documents.keyPaths(in: "Sources/Rouse/Config/ConfigKey.swift")
        #expect(paths.count > 20)
        for path in paths {
            let key = path.split(separator: ".").last ?? ""
            let isShown = example.contains("\(key): ")
            #expect(isShown, "the key \(path)")
        }
    }

    @Test func `links between documents lead somewhere`() {
        for document in Documents.all {
            for link in Documents.links(in: document) where !Documents.exists(link) {
                Issue.record("\(document.path): \(link) is not there")
            }
        }
    }

    @Test func `a link that leads nowhere is found`() {
        let document = SourceFile(
            "docs/sample.md", "See [it](no-such-page.md#part), [net](https://example.com).")
        let links = Documents.links(in: document)
        #expect(links == ["docs/no-such-page.md"])
        #expect(links.map(Documents.exists) == [false])
    }
}
