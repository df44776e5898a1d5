import Testing

@testable import RouseLoadtest

@Suite struct OptionsTests {
    private static let known = [Option("users", "N", "How many"), Option("json", "FILE", "Where")]

    @Test func `options come in both spellings`() throws {
        let options = try Options(["--users", "5", "--json=a=b"], known: Self.known)
        #expect(try options.number("users", in: 1...9, default: 1) == 5)
        #expect(options["json"] == "a=b")
        #expect(try options.number("rounds", in: 1...9, default: 4) == 4)
    }

    @Test(arguments: [
        ["--user", "5"], ["users", "5"], ["--users"], ["--users", "1", "--users", "2"], ["-users", "1"],
    ])
    func `what is not understood is refused`(words: [String]) {
        #expect(throws: UsageFailure.self) { try Options(words, known: Self.known) }
    }

    @Test func `a switch takes no value`() throws {
        let known = Self.known + [Option("sabotage", "", "Whether")]
        #expect(try Options(["--sabotage", "--users", "5"], known: known).has("sabotage"))
        #expect(try !Options(["--users", "5"], known: known).has("sabotage"))
        #expect(throws: UsageFailure.self) { try Options(["--sabotage=1"], known: known) }
    }

    @Test(arguments: ["0", "10", "many"]) func `a number out of its range is refused`(text: String) throws {
        let options = try Options(["--users", text], known: Self.known)
        #expect(throws: UsageFailure.self) { try options.number("users", in: 1...9, default: 1) }
    }

    @Test func `a switch stands alone`() throws {
        let known = Self.known + [.flag("sabotage", "Break it")]
        let options = try Options(["--sabotage", "--users", "2"], known: known)
        #expect(options.has("sabotage"))
        #expect(options["users"] == "2")
        #expect(!(try Options([], known: known)).has("sabotage"))
        #expect(throws: UsageFailure.self) { try Options(["--sabotage=yes"], known: known) }
    }
}
