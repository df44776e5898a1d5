import Synchronization
import Testing

@testable import Rouse

/// What a command printed.
final class Printout: Sendable {
    private let lines = Mutex<(out: [String], err: [String])>(([], []))

    var out: String { lines.withLock { $0.out.joined(separator: "\n") } }
    var err: String { lines.withLock { $0.err.joined(separator: "\n") } }

    var terminal: Terminal {
        Terminal(
            out: { line in self.lines.withLock { $0.out.append(line) } },
            err: { line in self.lines.withLock { $0.err.append(line) } })
    }
}

@Suite struct CommandLineProgramTests {
    private let printout = Printout()

    private func run(_ words: String...) async -> Int32 {
        let commands = [
            Command(name: "greet", summary: "Say hello", run: { _, terminal in terminal.out("hello") }),
            Command(name: "break", summary: "Fail", run: { _, _ in throw CommandFailure("it broke") }),
            Command(name: "key list", summary: "List keys", run: { _, terminal in terminal.out("keys") }),
        ]
        return await CommandLineProgram(commands: commands, terminal: printout.terminal).run(words)
    }

    @Test func `a command that ends well exits with 0`() async {
        #expect(await run("greet") == 0)
        #expect(printout.out == "hello")
    }

    @Test func `a command of two words is found`() async {
        #expect(await run("key", "list") == 0)
        #expect(printout.out == "keys")
    }

    @Test func `a failure exits with 1 and says what failed`() async {
        #expect(await run("break") == 1)
        #expect(printout.err == "rouse: it broke")
    }

    @Test(arguments: [["foo"], ["greet", "--loud"], ["key"], ["key", "eat"], ["help", "foo"], []])
    func `wrong usage exits with 2 and says where help is`(words: [String]) async {
        let program = CommandLineProgram(
            commands: [Command(name: "greet", summary: "", run: { _, _ in })], terminal: printout.terminal)
        #expect(await program.run(words) == 2)
        #expect(printout.err.contains("See `rouse help"))
    }

    @Test func `half a command lists its other halves`() async {
        #expect(await run("key") == 2)
        #expect(printout.err.contains("rouse key needs one of: list"))
    }

    @Test(arguments: [["--version"], ["help"], ["help", "greet"], ["greet", "--help"], ["help", "key"]])
    func `what explains the program exits with 0`(words: [String]) async {
        let commands = [
            Command(name: "greet", summary: "Say hello", run: { _, _ in }),
            Command(name: "key list", summary: "List keys", run: { _, _ in }),
        ]
        #expect(await CommandLineProgram(commands: commands, terminal: printout.terminal).run(words) == 0)
        #expect(!printout.out.isEmpty)
    }

    @Test func `each command of the program has a help page that names its options`() {
        let help = Help(commands: Commands.all)
        for command in Commands.all {
            let page = help.page(command)
            #expect(page.contains("Usage: rouse \(command.name)"))
            for option in command.options { #expect(page.contains("--\(option.name)")) }
            #expect(Set(command.options.map(\.name)).count == command.options.count, "\(command.name)")
        }
    }
}
