import Dispatch
import Glibc

// A peer that hangs up is told by EPIPE, not by the end of the process.
signal(SIGPIPE, SIG_IGN)

let words = Array(CommandLine.arguments.dropFirst())
Task.detached {
    let program = CommandLineProgram(commands: Commands.all, terminal: .standard)
    exit(await program.run(words))
}
dispatchMain()
