/// One installation of the app, as the decisions see it.
package struct Device: Equatable, Sendable {
    package let key: DeviceKey
    package let id: DeviceID
    package internal(set) var profile: DeviceProfile
    /// The zone that the profile names, as a value; nil: none, or one that is not known here.
    package internal(set) var zone: ZoneRules?
    package internal(set) var tokens: [TokenDigest]
    /// Those that another account of this installation uses, too.
    package internal(set) var sharedTokens: Set<TokenKey>
    /// Acknowledged through this seq; never moves backwards.
    package internal(set) var appliedSeq: MailboxSeq
    /// The head when the device was first seen or came back signed in: entries up to it are not its duty.
    package internal(set) var knownSinceSeq: MailboxSeq
    package internal(set) var presence: Presence?
    /// Ascending by seq.
    package internal(set) var holds: [Hold] = []
    /// In the order in which they opened.
    package internal(set) var groups: [MergeGroup] = []
    /// Where in the channels' queues the shard has this device: once in each at the most.
    package internal(set) var places: [QueuePlace] = []
    /// When it was woken silently within the last hour.
    var wakes = WakeBudget()
    /// What its pushes have left it with.
    package internal(set) var record: DeviceRecord
    /// A cover or a badge-only push that is with the provider.
    package internal(set) var silentFlight: SilentFlight?
    /// Attempts at the covers that are owed, and when the next silent push may be made.
    var coverAttempts = 0
    var silentRetryAt: Instant?
    /// When a badge-only push is made, unless something else brings the badge before.
    package internal(set) var badgeDueAt: Instant?
    var isBadgeReady = false
    /// The newest state of which a connection has told it the badge.
    var badgeToldThrough: MailboxSeq = 0
    /// When the last badge-only push was answered.
    var badgePushedAt: Instant?

    package init(
        key: DeviceKey, id: DeviceID, profile: DeviceProfile, tokens: [TokenDigest] = [],
        appliedSeq: MailboxSeq = 0, knownSinceSeq: MailboxSeq = 0, record: DeviceRecord = DeviceRecord(),
        zone: ZoneRules? = nil, sharedTokens: Set<TokenKey> = []
    ) {
        self.key = key
        self.id = id
        self.profile = profile
        self.zone = zone
        self.tokens = tokens
        self.appliedSeq = appliedSeq
        self.knownSinceSeq = knownSinceSeq
        self.record = record
        self.sharedTokens = sharedTokens
    }

    package var isWakeable: Bool { tokens.alert != nil }

    /// The token a push goes to now.
    package var alertToken: TokenDigest? { tokens.alert }

    package var isQueued: Bool { !places.isEmpty }

    package var isInFlight: Bool { hasSilentFlight || groups.hasFlight }

    // A comparison with nil would take the whole value: these are asked of every device at each event.

    /// Whether it has a connection.
    var isConnected: Bool { if case .some = presence { true } else { false } }

    var hasSilentFlight: Bool { if case .some = silentFlight { true } else { false } }

    /// Whether a cover or a badge-only push is to be made for it, now or in time.
    var isOwed: Bool { hasSilentFlight || badgeDueAt != nil || record.hasStaleBanner }

    package var hasOpenTasks: Bool { !holds.isEmpty || !groups.isEmpty }

    /// The next instant at which something of this device changes by time alone.
    var nextDeadline: Instant? {
        var next: Instant?
        for hold in holds { next = min(next ?? hold.until, hold.until) }
        if let at = silentRetryAt { next = min(next ?? at, at) }
        if let at = badgeDueAt, !isBadgeReady { next = min(next ?? at, at) }
        for group in groups {
            switch group.state {
            case .merging(let at), .retrying(let at): next = min(next ?? at, at)
            case .ready, .inFlight: break
            }
        }
        return next
    }
}
