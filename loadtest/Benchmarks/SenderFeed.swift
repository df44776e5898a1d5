import Domain
import Engine
import EventLoop
import Providers
import Synchronization

/// Stands where the engine stands: keeps as many requests under way
/// as the sender's window allows, and counts reports.
final class SenderFeed: PushReporting {
    private struct Contents {
        var rest: ArraySlice<PushRequest> = []
        var window = 1
        var underWay = 0
        var accepted = 0
        var failures: [String: Int] = [:]
        var done: CheckedContinuation<Void, Never>?
    }

    private let senders: ProviderSenders
    private let limit: Int
    private let contents = Mutex(Contents())

    /// - Parameter limit: requests under way at most, whatever the window.
    init(_ senders: ProviderSenders, limit: Int) {
        self.senders = senders
        self.limit = limit
    }

    /// Returns when every request was reported: how many were accepted, and what the others met.
    func push(_ requests: ArraySlice<PushRequest>) async -> (accepted: Int, failures: [String: Int]) {
        await withCheckedContinuation { continuation in
            contents.withLock { contents in
                contents.rest = requests
                contents.accepted = 0
                contents.failures = [:]
                contents.done = continuation
            }
            sendMore()
        }
        return contents.withLock { ($0.accepted, $0.failures) }
    }

    var mayHandOver: Bool { true }

    func windowChanged(_ channel: ChannelID, perShard: Int, reason: String) {
        guard channel == PreparedPushes.channel else { return }
        contents.withLock { $0.window = min(limit, perShard) }
        sendMore()
    }

    func report(_ reports: [PushReport]) {
        contents.withLock { contents in
            contents.underWay -= reports.count
            for report in reports {
                if report.verdict == .accepted {
                    contents.accepted += 1
                } else {
                    contents.failures["\(report.verdict) \(report.answer.reason)", default: 0] += 1
                }
            }
        }
        sendMore()
    }

    private func sendMore() {
        let (batch, done) = contents.withLock { contents in
            let batch = contents.rest.prefix(max(0, contents.window - contents.underWay))
            contents.rest = contents.rest.dropFirst(batch.count)
            contents.underWay += batch.count
            var done: CheckedContinuation<Void, Never>?
            if contents.rest.isEmpty && contents.underWay == 0 { done = contents.done.take() }
            return (Array(batch), done)
        }
        if !batch.isEmpty { senders.send(batch) }
        done?.resume()
    }
}
