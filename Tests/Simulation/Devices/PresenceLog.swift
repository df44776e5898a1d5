import Domain

/// When a device was connected and what was written to it when: what the deadlines of PD-1 are told by.
struct PresenceLog {
    private struct Interval {
        let from: Int64
        var to: Int64 = .max
        /// Ended by a planned stop of the server, which is no close: holds keep their deadlines.
        var isDrained = false
    }

    private var intervals: [Interval] = []
    private var reconnects: [Int64] = []
    /// When the bytes of an entry were first taken.
    private(set) var firstWrites: [MailboxSeq: Int64] = [:]
    /// The same, since the device has the connection it has now.
    private(set) var writes: [MailboxSeq: Int64] = [:]
    /// Since when the server knows its connection: a connect may wait for the batches before it.
    private(set) var welcomedAt: Int64?

    mutating func began(at now: Int64) { intervals.append(Interval(from: now)) }

    mutating func reconnected(at now: Int64) { reconnects.append(now) }

    /// Whether the server heard of a write on a connection that was just being replaced is open.
    func isOpen(writtenAt time: Int64) -> Bool { reconnects.contains { abs($0 - time) < 50 } }

    mutating func ended(at now: Int64, isDrained: Bool) {
        intervals[intervals.count - 1].to = now
        intervals[intervals.count - 1].isDrained = isDrained
        welcomedAt = nil
        writes = [:]
    }

    mutating func welcomed(at now: Int64) { if welcomedAt == nil { welcomedAt = now } }

    mutating func wrote(_ seq: MailboxSeq, at now: Int64) {
        if writes[seq] == nil { writes[seq] = now }
        if firstWrites[seq] == nil { firstWrites[seq] = now }
    }

    /// When a call's push for the device falls due, unless it rings by itself. Nil where the call and a
    /// connect or close met within one batch.
    func ringDeadline(madeAt: Int64, grace: Int64, crashes: [Int64]) -> Int64? {
        guard !isNearEdge(madeAt) else { return nil }
        let online = intervals.first { $0.from <= madeAt && madeAt < $0.to }
        guard let online else { return madeAt }
        let crash = crashes.first { $0 > madeAt } ?? .max
        return min(madeAt + grace, crash, online.isDrained ? .max : online.to)
    }

    private func isNearEdge(_ time: Int64) -> Bool {
        intervals.contains { abs($0.from - time) < 50 || ($0.to != .max && abs($0.to - time) < 50) }
    }

    /// When PD-1 says that the push for an entry falls due, had nothing been applied. Nil where the message
    /// and a connect or close met within one batch: either order is right.
    func deadline(of seq: MailboxSeq, materialisedAt: Int64, crashes: [Int64], _ policy: Policy) -> Int64? {
        if isNearEdge(materialisedAt) { return nil }
        if let written = firstWrites[seq], isOpen(writtenAt: written) { return nil }
        let online = intervals.firstIndex { $0.from <= materialisedAt && materialisedAt < $0.to }
        guard let online else { return materialisedAt }
        // A crash is a close also for what a drain had left held.
        let crash = crashes.first { $0 > materialisedAt } ?? .max
        let close = min(crash, intervals[online...].first { !$0.isDrained }?.to ?? .max)
        let grace = min(materialisedAt + policy.pushGraceWindow, close)
        guard let written = firstWrites[seq], written <= grace else { return grace }
        return min(written + policy.pushConfirmExtendedWindow, close)
    }
}
