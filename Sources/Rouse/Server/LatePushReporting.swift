import Engine
import Synchronization

/// What the senders report to, before the engine exists.
///
/// The engine is made with its sender and the sender with whom it reports to; one of the two must come first. The
/// senders do. Nothing is reported before the engine is there: a sender speaks only of requests that the
/// engine gave it, and of credentials that are loaded after `engine` is set. What comes earlier all the same finds
/// no lease to hand over under, and no request to report on.
final class LatePushReporting: PushReporting {
    private let late = Mutex<(any PushReporting)?>(nil)

    init() {}

    /// Set once, before the lease is asked for.
    func set(_ reporting: any PushReporting) { late.withLock { $0 = reporting } }

    private var reporting: (any PushReporting)? { late.withLock { $0 } }

    func report(_ reports: [PushReport]) { reporting?.report(reports) }

    func windowChanged(_ channel: ChannelID, perShard: Int, reason: String) {
        reporting?.windowChanged(channel, perShard: perShard, reason: reason)
    }

    var mayHandOver: Bool { reporting?.mayHandOver ?? false }
}
