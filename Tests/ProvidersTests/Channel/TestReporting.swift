import Domain
import Engine
import Synchronization

/// Collects what senders report, and wakes the test that waits for it.
final class TestReporting: PushReporting {
    private let contents = Mutex(Contents())

    private struct Contents {
        var told = Told()
        var waiters: [(isMet: @Sendable (Told) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
        var mayHandOver = true
    }

    private struct Told {
        var reports: [PushReport] = []
        var windows: [ChannelID: [(perShard: Int, reason: String)]] = [:]
    }

    var mayHandOver: Bool {
        get { contents.withLock { $0.mayHandOver } }
        set { contents.withLock { $0.mayHandOver = newValue } }
    }

    var reports: [PushReport] { contents.withLock { $0.told.reports } }

    func windows(_ channel: ChannelID) -> [Int] {
        contents.withLock { $0.told.windows[channel]?.map(\.perShard) ?? [] }
    }

    func lastReason(_ channel: ChannelID) -> String {
        contents.withLock { $0.told.windows[channel]?.last?.reason ?? "" }
    }

    func report(_ reports: [PushReport]) {
        change { $0.reports += reports }
    }

    func windowChanged(_ channel: ChannelID, perShard: Int, reason: String) {
        change { $0.windows[channel, default: []].append((perShard, reason)) }
    }

    /// Waits until so many reports have come, and gives them.
    func reports(_ count: Int) async -> [PushReport] {
        await wait { $0.reports.count >= count }
        return reports
    }

    /// Waits until the newest window of a channel is as wanted.
    func window(_ channel: ChannelID, is wanted: @escaping @Sendable (Int) -> Bool) async {
        await wait { $0.windows[channel]?.last.map { wanted($0.perShard) } ?? false }
    }

    private func wait(_ isMet: @escaping @Sendable (Told) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMetNow = contents.withLock { contents in
                if isMet(contents.told) { return true }
                contents.waiters.append((isMet, continuation))
                return false
            }
            if isMetNow { continuation.resume() }
        }
    }

    private func change(_ change: (inout Told) -> Void) {
        let met = contents.withLock { contents in
            change(&contents.told)
            let told = contents.told
            let met = contents.waiters.filter { $0.isMet(told) }.map(\.continuation)
            contents.waiters.removeAll { $0.isMet(told) }
            return met
        }
        for continuation in met { continuation.resume() }
    }
}
