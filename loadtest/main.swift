import Dispatch
import Glibc

// A peer that hangs up is told by EPIPE, not by the end of the process.
signal(SIGPIPE, SIG_IGN)

let words = Array(CommandLine.arguments.dropFirst())
Task.detached { exit(await LoadtestProgram.run(words)) }
dispatchMain()
