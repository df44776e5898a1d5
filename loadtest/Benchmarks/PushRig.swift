import EventLoop

/// A server with its providers, ready to be loaded: runs phases and counts the pushes of each.
struct PushRig: Sendable {
    let server: ServerProcess
    let providers: ProviderProcess
    var users: Int
    let numbers: MessageNumbers
    /// Recipients of a message, times their devices.
    var pushesPerMessage = 1
    /// From a message's user to the next one's: more than 1 spreads them.
    var stride = 1
    /// Without any further push for so long, no more are awaited.
    static let patienceMilliseconds = 15_000
    private static let lookMilliseconds = 20

    /// Sends for so long, then waits for the pushes.
    func phase(_ template: RequestTemplate, connections: Int, seconds: Double) async throws -> PushPhase {
        let receivedBefore = try await providers.received()
        let before = CPUSample(server: server, providers: providers)
        let begun = MonotonicClock.now()
        let load = try await IngestLoad.run(
            template, to: server.publicAddress, users: users, connections: connections, seconds: seconds,
            numbers: numbers, stride: stride)
        let (pushes, last) = try await drain(receivedBefore, awaited: load.accepted * pushesPerMessage)
        let elapsed = Double(last - begun) / 1e9
        let after = CPUSample(server: server, providers: providers)
        Progress.say("\(load.accepted) accepted, \(pushes) pushed in \(Decimal.text(elapsed)) s")
        return PushPhase(
            load: load, pushes: pushes, awaited: load.accepted * pushesPerMessage, seconds: elapsed,
            cpu: after.microseconds(since: before, per: pushes))
    }

    /// How many pushes arrived, and when the last of them was seen.
    private func drain(_ before: Int, awaited: Int) async throws(LoadtestFailure) -> (Int, UInt64) {
        var (pushes, last) = (0, MonotonicClock.now())
        while true {
            let (seen, now) = (try await providers.received() - before, MonotonicClock.now())
            if seen != pushes { (pushes, last) = (seen, now) }
            let quiet = (now - last) / 1_000_000
            // A moment longer: one push too many must be seen, too.
            if pushes >= awaited && quiet >= 200 || quiet >= Self.patienceMilliseconds {
                return (pushes, last)
            }
            try? await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
        }
    }
}

/// What a phase showed.
struct PushPhase: Sendable {
    let load: IngestLoad.Result
    let pushes: Int
    /// As many as were owed.
    let awaited: Int
    /// From the first request to the last push.
    let seconds: Double
    let cpu: [(name: String, value: Double)]

    func add(to report: inout Report, key: String, _ name: String) {
        report.add("\(key)_messages", "\(name): messages accepted", load.accepted)
        report.add("\(key)_pushes", "\(name): pushes arrived", pushes)
        report.add(
            "\(key)_messages_per_s", "\(name): messages", Double(load.accepted) / load.seconds, "/s")
        report.add("\(key)_pushes_per_s", "\(name): pushes", Double(pushes) / seconds, "/s")
        report.add(
            "\(key)_p50_us", "\(name): answered after, median", load.latencies.percentile(50) ?? .nan, "µs")
        report.add(
            "\(key)_p99_us", "\(name): answered after, 99 of 100", load.latencies.percentile(99) ?? .nan, "µs"
        )
        for (process, value) in cpu {
            report.add("\(key)_cpu_\(process)_us", "\(name): CPU of the \(process) per push", value, "µs")
        }
        for (status, count) in load.refused.sorted(by: { $0.key < $1.key }) {
            report.add("\(key)_refused_\(status)", "\(name): answered \(status)", count)
        }
        if load.lost > 0 { report.violations.append("\(name): \(load.lost) messages without an answer") }
        if pushes != awaited {
            report.violations.append("\(name): \(awaited) pushes are owed, \(pushes) arrived")
        }
        if load.accepted == 0 { report.violations.append("\(name): no message was accepted") }
    }
}
