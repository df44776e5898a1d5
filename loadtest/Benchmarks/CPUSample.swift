import Glibc

/// Processor time of all who take part in a run, at one moment.
struct CPUSample: Sendable {
    private(set) var seconds: [(name: String, value: Double)] = []

    init(server: ServerProcess, providers: ProviderProcess) {
        add("server", ProcessStatistics.cpuSeconds(of: server.pid))
        add("postgres", server.postgres.postmaster.flatMap { ProcessStatistics.cpuSecondsOfFamily($0) })
        add("simulator", ProcessStatistics.cpuSeconds(of: providers.child.pid))
        add("generator", ProcessStatistics.ownCPUSeconds)
    }

    private mutating func add(_ name: String, _ value: Double?) { seconds.append((name, value ?? 0)) }

    /// Microseconds each took since an earlier moment, per operation.
    func microseconds(since earlier: CPUSample, per operations: Int) -> [(name: String, value: Double)] {
        zip(seconds, earlier.seconds).map { now, before in
            (now.name, (now.value - before.value) * 1e6 / Double(max(1, operations)))
        }
    }
}
