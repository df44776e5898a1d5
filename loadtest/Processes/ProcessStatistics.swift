import Glibc

/// Processor time, user and system together, from `/proc`; its resolution is one clock tick, 10 ms.
enum ProcessStatistics {
    private static let ticksPerSecond = 100.0

    /// Of one process; nil if there is none.
    static func cpuSeconds(of pid: pid_t) -> Double? { line(pid).map { $0.own } }

    /// Of a process, its children that live, and those it has waited for.
    static func cpuSecondsOfFamily(_ pid: pid_t) -> Double? {
        guard let parent = line(pid) else { return nil }
        let children = LocalFiles.names(in: "/proc").compactMap { pid_t($0) }.compactMap { line($0) }
        return children.filter { $0.parent == pid }.reduce(parent.own + parent.waitedFor) { $0 + $1.own }
    }

    /// Of this process, to the nanosecond.
    static var ownCPUSeconds: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Processes that ran or wanted to, on average over the last minute: how busy the machine is besides.
    static var loadAverage: Double {
        LocalFiles.readText("/proc/loadavg")?.split(separator: " ").first.flatMap { Double($0) } ?? .nan
    }

    struct Line: Equatable {
        let parent: pid_t
        let own: Double
        let waitedFor: Double

        /// The name, second, may hold blanks and parentheses: fields are counted from its last parenthesis.
        init?(_ text: String) {
            guard let end = text.lastIndex(of: ")") else { return nil }
            let fields = text[text.index(after: end)...].split(separator: " ")
            guard fields.count > 14, let parent = pid_t(fields[1]) else { return nil }
            let ticks = fields[11...14].compactMap { Double($0) }
            guard ticks.count == 4 else { return nil }
            self.parent = parent
            own = (ticks[0] + ticks[1]) / ticksPerSecond
            waitedFor = (ticks[2] + ticks[3]) / ticksPerSecond
        }
    }

    private static func line(_ pid: pid_t) -> Line? {
        LocalFiles.readText("/proc/\(pid)/stat").flatMap { Line($0) }
    }
}

/// Who started this process.
struct ParentProcess: Sendable {
    private let pid = getppid()

    /// An orphan has another parent.
    var hasEnded: Bool { getppid() != pid }
}
