/// What a user does with messages that another of its devices is, was, or was about to be woken for; and
/// what must come of it at that device.
enum N4Scene: String, CaseIterable, Sendable {
    /// The other device is connected and has not applied: the task is held.
    case held
    /// The task waits for its merge window.
    case merging
    /// Another request is with a slow provider.
    case waiting
    /// The channel is halted by its provider.
    case halted
    /// The provider has accepted the push.
    case accepted
    /// And the device has applied the entry, as an extension does.
    case applied
    /// Of three messages two are read.
    case partial
    /// Three conversations are read at once.
    case all
    /// Another conversation stays unread.
    case others
    /// The sender recalls the only message, or the newest of two.
    case recalled, recalledNewest
    /// The request is with the provider when the user reads; then it is accepted, or refused.
    case inFlight, inFlightRefused
    /// The device came back before the user reads elsewhere.
    case online
    /// The device itself reads, without a connection; a third one is covered.
    case reader
    /// The server is killed right after the read was answered, while the cover waits.
    case crash

    struct Expectation: Sendable {
        /// The messages sent, in order, each by the conversation it is in.
        var conversations: [Int] = [0]
        /// Which of them must have been accepted as alerts; all others never.
        var alerts: Set<Int> = [0]
        /// Conversations that must be cleared from the screen; empty: none is.
        var cleared: Set<Int> = []
        /// The message that must be shown again, and how many stay unread with it.
        var rendered: (message: Int, count: Int64)?
        /// What stays unread.
        var unread: Int64 = 0
        /// Another conversation has an alert that nobody covers; nil: it may have.
        var expiresAtOnce: Bool? = false
        /// Whether the last push tells the badge: a device that is there, or reads, is told otherwise.
        var badgeByPush = true
        /// A crash may repeat what is under way.
        var mayRepeat = false

        var isCovered: Bool { !cleared.isEmpty || rendered != nil }
    }

    var expectation: Expectation {
        var expected = Expectation()
        switch self {
        case .held, .merging: expected.alerts = []
        case .halted, .inFlightRefused:
            // The second message, sent later, shows that the channel has recovered.
            (expected.conversations, expected.alerts, expected.unread) = ([0, 1], [1], 1)
        case .accepted, .applied, .recalled, .inFlight: expected.cleared = [0]
        case .waiting:
            (expected.conversations, expected.unread) = ([0, 1], 1)
        case .partial:
            (expected.conversations, expected.alerts) = ([0, 0, 0], [0, 1, 2])
            (expected.rendered, expected.unread) = ((message: 2, count: 1), 1)
        case .all:
            (expected.conversations, expected.alerts) = ([0, 1, 2], [0, 1, 2])
            expected.cleared = [0, 1, 2]
        case .others:
            (expected.conversations, expected.alerts) = ([0, 1], [0, 1])
            (expected.cleared, expected.unread, expected.expiresAtOnce) = ([0], 1, true)
        case .recalledNewest:
            (expected.conversations, expected.alerts) = ([0, 0], [0, 1])
            (expected.rendered, expected.unread) = ((message: 0, count: 1), 1)
        case .online, .reader: expected.badgeByPush = false
        case .crash:
            (expected.conversations, expected.alerts) = ([0, 1], [0, 1])
            (expected.cleared, expected.unread, expected.expiresAtOnce) = ([0], 1, nil)
            expected.mayRepeat = true
        }
        return expected
    }

    /// The seq up to which conversation 0 is read: messages are the mailbox's first entries.
    var readThrough: Int64 { self == .partial ? 2 : self == .waiting ? 2 : 1 }
}
