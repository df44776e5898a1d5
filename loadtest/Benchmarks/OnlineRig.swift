import EventLoop

/// A server with connected devices, ready to be loaded: runs phases and waits until their tasks are gone.
struct OnlineRig: Sendable {
    let server: ServerProcess
    let providers: ProviderProcess
    let fleet: DeviceFleet
    let users: Int
    let numbers: MessageNumbers
    let loop: EventLoop
    private static let lookMilliseconds = 20
    private static let patienceMilliseconds = 30_000

    func phase(_ template: RequestTemplate, connections: Int, seconds: Double) async throws -> OnlinePhase {
        let before = PushCounts(try await MetricsPage.read(server, loop))
        let entriesBefore = await fleet.totals.entries
        _ = await fleet.takeLatencies()
        let cpu = CPUSample(server: server, providers: providers)
        let begun = MonotonicClock.now()
        let load = try await IngestLoad.run(
            template, to: server.publicAddress, users: users, connections: connections, seconds: seconds,
            numbers: numbers)
        let isDone = try await settles(entriesBefore + load.accepted)
        let elapsed = Double(MonotonicClock.now() - begun) / 1e9
        let used = CPUSample(server: server, providers: providers)
        var phase = OnlinePhase(load: load, seconds: elapsed)
        phase.entries = await fleet.totals.entries - entriesBefore
        phase.latencies = await fleet.takeLatencies()
        phase.counts = PushCounts(try await MetricsPage.read(server, loop)).since(before)
        phase.cpu = used.microseconds(since: cpu, per: load.accepted)
        Progress.say(
            "\(load.accepted) accepted, \(phase.entries) at the devices, all tasks gone: \(isDone), "
                + "after \(Decimal.text(elapsed)) s")
        return phase
    }

    /// Every entry is at its device, and no task is open any more.
    private func settles(_ entries: Int) async throws -> Bool {
        let deadline = MonotonicClock.now() + UInt64(Self.patienceMilliseconds) * 1_000_000
        while MonotonicClock.now() < deadline {
            if await fleet.totals.entries >= entries,
                PushCounts(try await MetricsPage.read(server, loop)).tasksOpen == 0
            {
                return true
            }
            try await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
        }
        return false
    }
}

/// What a phase showed.
struct OnlinePhase: Sendable {
    let load: IngestLoad.Result
    /// From the first request until no task was open.
    let seconds: Double
    var entries = 0
    var latencies = Latencies()
    var counts = PushCounts()
    var cpu: [(name: String, value: Double)] = []

    func add(to report: inout Report, key: String, _ name: String) {
        report.add("\(key)_messages", "\(name): messages accepted", load.accepted)
        report.add("\(key)_messages_per_s", "\(name): messages", Double(load.accepted) / seconds, "/s")
        report.add(
            "\(key)_answer_p50_us", "\(name): answered after, median", load.latencies.percentile(50) ?? .nan,
            "µs")
        report.add(
            "\(key)_entry_p50_us", "\(name): sent to ENTRY, median", latencies.percentile(50) ?? .nan, "µs")
        report.add(
            "\(key)_entry_p99_us", "\(name): sent to ENTRY, 99 of 100", latencies.percentile(99) ?? .nan, "µs"
        )
        report.add(
            "\(key)_entry_max_us", "\(name): sent to ENTRY, longest", latencies.percentile(100) ?? .nan, "µs")
        for (process, value) in cpu {
            report.add(
                "\(key)_cpu_\(process)_us", "\(name): CPU of the \(process) per message", value, "µs")
        }
        for (status, count) in load.refused.sorted(by: { $0.key < $1.key }) {
            report.add("\(key)_refused_\(status)", "\(name): answered \(status)", count)
        }
        report.violations += findings.sentences.map { "\(name): \($0)" }
    }

    /// Every message accepted is an entry at its device and a task that APPLIED ended.
    var findings: Findings {
        var found = Findings()
        if load.accepted == 0 { found.add("no message was accepted", "\(load.refused)") }
        found.expect("messages without an answer", load.lost, equals: 0)
        found.expect("entries at the devices", entries, equals: load.accepted)
        found.expect("tasks made", counts.tasksMade, equals: load.accepted)
        found.expect("tasks ended by APPLIED", counts.outcome("applied"), equals: load.accepted)
        for (ended, count) in counts.outcomes where count > 0 && ended.first != "applied" {
            found.add("tasks ended otherwise", "\(count) \(ended.joined(separator: "/"))")
        }
        found.expect("tasks still open", counts.tasksOpen, equals: 0)
        return found
    }
}
