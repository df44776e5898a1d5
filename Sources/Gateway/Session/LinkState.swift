import Domain
import Engine

/// The authenticated part of a connection's life.
struct LinkState {
    var identity: LinkIdentity
    let handle: LinkHandle
    /// Nil until the engine has welcomed the device.
    var cursor: ReplayCursor?
    var evidence = PushedEvidence()
    /// Where the catch-up ends in the stream: what lies after it is live.
    var catchUpEnd: UInt64 = 0
    /// The newest state not yet shown; nil: nothing waits.
    var pendingBadge: BadgeState?
    var pendingConversations: [ConversationID: ConversationDelta] = [:]
    /// The head that the state shown or pending reflects.
    var shownSeq: MailboxSeq = 0
    /// The highest APPLIED of the frames being read, told once.
    var pendingApplied: MailboxSeq?

    init(_ identity: LinkIdentity, _ handle: LinkHandle) {
        self.identity = identity
        self.handle = handle
    }
}
