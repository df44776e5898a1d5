import Domain
import Engine
import EventLoop

/// The authenticated part of a connection's life.
struct LinkState {
    var identity: LinkIdentity
    let handle: LinkHandle
    /// Nil until the engine has welcomed the device.
    var cursor: ReplayCursor?
    var evidence = PushedEvidence()
    var pageSize = PageSize()
    /// Where the catch-up ends in the stream: what lies after it is live.
    var catchUpEnd: UInt64 = 0
    /// The head that the state shown or pending reflects.
    var shownSeq: MailboxSeq = 0
    /// Frames that must not come before AUTH_OK: what was wrong with the AUTH itself.
    var afterWelcome: [UInt8] = []
    /// What has changed and is not yet shown; nil: nothing.
    var pending: PendingState?

    init(_ identity: LinkIdentity, _ handle: LinkHandle) {
        self.identity = identity
        self.handle = handle
    }
}

/// The newest state that waits for the window of SESSION_DELTA and BADGE_UPDATE; exists only while it does.
final class PendingState {
    var badge: BadgeState?
    var conversations: [ConversationID: ConversationDelta] = [:]
    /// Runs only while the connection is live.
    var timer: TimerToken?

    func add(_ deltas: [ConversationDelta], _ badge: BadgeState?) {
        if let badge { self.badge = badge }
        for delta in deltas { conversations[delta.id] = delta }
    }
}
