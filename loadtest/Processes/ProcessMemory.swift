import Glibc

/// What a process holds of the machine's memory, in bytes, from `/proc/PID/smaps_rollup`.
struct ProcessMemory: Equatable, Sendable {
    /// Pages in memory, shared ones included.
    var resident = 0
    /// Shared pages divided among those that share them.
    var proportional = 0
    /// Pages of its own that come from no file: heap and stacks.
    var anonymous = 0

    /// Nil if there is no such process.
    static func of(_ pid: pid_t) -> ProcessMemory? {
        LocalFiles.readText("/proc/\(pid)/smaps_rollup").flatMap { ProcessMemory($0) }
    }

    init?(_ text: String) {
        var found: [Substring: Int] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 3, words[2] == "kB", let kilobytes = Int(words[1]) {
                found[words[0]] = kilobytes * 1_024
            }
        }
        guard let resident = found["Rss:"], let proportional = found["Pss:"],
            let anonymous = found["Anonymous:"]
        else { return nil }
        self.resident = resident
        self.proportional = proportional
        self.anonymous = anonymous
    }

    /// How many descriptors a process has open; nil if it cannot be seen.
    static func descriptors(of pid: pid_t) -> Int? {
        let names = LocalFiles.names(in: "/proc/\(pid)/fd").filter { $0 != "." && $0 != ".." }
        return names.isEmpty ? nil : names.count
    }
}
