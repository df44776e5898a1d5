import Testing

@Suite struct SourceRulesTests {
    @Test func `the tree was found`() {
        #expect(SourceTree.sources.count > 50)
        #expect(SourceTree.files.contains { $0.has(".sql") && $0.path.hasPrefix("migrations/") })
        #expect(SourceTree.files.contains { $0.path == "Tests/TidyTests/SourceRulesTests.swift" })
    }

    @Test func `no file and no line is too long`() {
        expectNone(SourceTree.files.flatMap(SizeLimits.violations))
    }

    @Test func `files and folders are named after concepts`() {
        expectNone(SourceTree.files.flatMap(WordRules.emptyNames))
    }

    @Test func `no work is left for later in the source`() {
        expectNone(SourceTree.files.flatMap(WordRules.leftovers))
    }

    @Test func `each statement says what it does`() {
        expectNone(SourceTree.files.flatMap(WordRules.missingHeader))
    }

    @Test func `the sources force nothing`() {
        expectNone(SourceTree.sources.flatMap(SafetyRules.forcings))
    }

    @Test func `what the compiler takes on trust is proven in a comment`() {
        expectNone(SourceTree.files.flatMap(SafetyRules.unprovenClaims))
    }
}

/// The rules can fail: each finds a small bad sample, and lets its good neighbour pass.
@Suite struct SourceRulesSampleTests {
    private func swift(_ text: String) -> SourceFile { SourceFile("Sources/Wire/Sample.swift", text) }

    @Test func `a file over the limit is found`() {
        let lines = Array(repeating: "let a = 1", count: SizeLimits.longestFile)
        #expect(SizeLimits.violations(in: swift(lines.joined(separator: "\n") + "\n")) == [])
        #expect(SizeLimits.violations(in: swift(lines.joined(separator: "\n") + "\n\n")).count == 1)
    }

    @Test func `a line over the limit is found, in columns and not in bytes`() {
        let line = String(repeating: "é", count: SizeLimits.longestLine)
        #expect(SizeLimits.violations(in: swift(line)) == [])
        #expect(SizeLimits.violations(in: swift("\n" + line + "é")).map(\.line) == [2])
    }

    @Test func `a long string makes no long line, a long comment does`() {
        let long = String(repeating: "a", count: SizeLimits.longestLine)
        #expect(SizeLimits.violations(in: swift("let a = \"\(long)\"")) == [])
        #expect(SizeLimits.violations(in: swift("// \(long)")).count == 1)
        #expect(SizeLimits.violations(in: swift("let \(long) = 1")).count == 1)
    }

    @Test(arguments: [
        "Sources/Wire/Utils/Hex.swift", "Tests/Helpers/A.swift", "Sources/API/TokenManager.swift",
    ])
    func `an empty name is found`(path: String) {
        #expect(WordRules.emptyNames(in: SourceFile(path, "")).count == 1)
    }

    @Test func `a remark on later work is found in comments only`() {
        #expect(WordRules.leftovers(in: swift("let a = 1  // TODO: two\n/* FIXME */")).map(\.line) == [1, 2])
        #expect(WordRules.leftovers(in: swift("let a = \"TODO\"  // methods")) == [])
    }

    @Test func `a statement without a header is found`() {
        #expect(WordRules.missingHeader(in: SourceFile("migrations/1.sql", "select 1;")).count == 1)
        #expect(WordRules.missingHeader(in: SourceFile("migrations/1.sql", "-- Tells one.\nselect 1;")) == [])
    }

    @Test(arguments: [
        "let a = b!", "let a = try! b()", "let a = b as! C", "let a = b()!.c", "let a = b[0]!", "var a: Int!",
        "let a = \"\\(b!)\"", "let a = (b)!",
    ])
    func `forcing is found`(line: String) {
        #expect(SafetyRules.forcings(in: swift(line)).count == 1)
    }

    @Test(arguments: [
        "if !a { }", "if a != b { }", "let a = \"no!\"  // never!", "#if !os(Linux)", "let a = #\"b\"!\"#",
        "let a = [!b, !c(d)]", "func `it works!`() {}",
    ])
    func `what only looks like forcing passes`(line: String) {
        #expect(SafetyRules.forcings(in: swift(line)) == [])
    }

    @Test func `a claim without a proof is found`() {
        let claim = "final class A: @unchecked Sendable {}"
        #expect(SafetyRules.unprovenClaims(in: swift("let a = 1\n\n\n" + claim)).map(\.line) == [4])
        #expect(SafetyRules.unprovenClaims(in: swift("/// Its queue serialises all access.\n" + claim)) == [])
    }
}
