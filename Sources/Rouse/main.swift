import Dispatch
import Glibc

// A peer that hangs up is told by EPIPE, not by the end of the process.
signal(SIGPIPE, SIG_IGN)

let words = Array(CommandLine.arguments.dropFirst())
if Commands.all.contains(where: { $0.isService && $0.name == words.first }) { Allocator.keepFreedBlocks() }
Task.detached {
    let program = CommandLineProgram(commands: Commands.all, terminal: .standard)
    exit(await program.run(words))
}
dispatchMain()
