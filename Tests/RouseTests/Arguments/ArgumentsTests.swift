import Testing

@testable import Rouse

@Suite struct ArgumentsTests {
    private let command = Command(
        name: "send", operands: .optional("TEXT"), summary: "",
        options: [
            .value("from", "USER", ""), .values("to", "USER", ""), .flag("json", ""),
            .value("n", "COUNT", ""),
        ], run: { _, _ in })

    @Test func `options stand anywhere, with a space or an equals sign`() throws {
        let arguments = try Arguments(["--from", "alice", "hello", "--to=bob", "--to", "carol"], of: command)
        #expect(arguments["from"] == "alice")
        #expect(arguments.all("to") == ["bob", "carol"])
        #expect(arguments.operands == ["hello"])
        #expect(!arguments.has("json"))
    }

    @Test func `after two dashes everything is an operand`() throws {
        #expect(try Arguments(["--json", "--", "--from"], of: command).operands == ["--from"])
    }

    @Test func `a value may be empty or begin with a dash`() throws {
        #expect(try Arguments(["--from=", "--to", "-x"], of: command)["from"] == "")
        #expect(try Arguments(["--to", "-x"], of: command).all("to") == ["-x"])
    }

    @Test(arguments: [
        (["--form", "alice"], "unknown option --form"),
        (["-j"], "unknown option -j"),
        (["--from"], "option --from needs a value: --from USER"),
        (["--json=yes"], "option --json takes no value"),
        (["--from", "a", "--from", "b"], "option --from is given twice"),
        (["hello", "world"], "unexpected argument world"),
    ])
    func `a wrong word is named`(words: [String], problem: String) {
        #expect(throws: UsageError(problem: problem, command: "send")) {
            try Arguments(words, of: command)
        }
    }

    @Test func `a missing operand is named`() {
        let command = Command(name: "key revoke", operands: .one("PREFIX"), summary: "", run: { _, _ in })
        #expect(throws: UsageError(problem: "PREFIX is missing", command: "key revoke")) {
            try Arguments([String](), of: command)
        }
    }

    @Test(arguments: ["0", "11", "ten", "1.5", ""])
    func `a number out of its range is refused`(text: String) throws {
        let arguments = try Arguments(["--n=\(text)"], of: command)
        #expect(throws: UsageError.self) { try arguments.number("n", in: 1...10, default: 1) }
    }
}
