package import Domain

/// What a device registers.
package struct Registration: Sendable {
    package let tokens: [UnkeyedToken]
    /// Other users signed in on this installation, who keep the token.
    package let accounts: Set<UserID>
    package let locale: String?
    package let timeZone: String?
    package let appVersion: String?
    /// Lookups of the tokens that other accounts of the installation hold and keep; found on the way.
    var sharedLookups: Set<[UInt8]> = []

    package init(
        tokens: [UnkeyedToken], accounts: Set<UserID> = [], locale: String? = nil, timeZone: String? = nil,
        appVersion: String? = nil
    ) {
        self.tokens = tokens
        self.accounts = accounts
        self.locale = locale
        self.timeZone = timeZone
        self.appVersion = appVersion
    }
}

/// A device that speaks for itself, by a credential of its own.
package struct DeviceCaller: Hashable, Sendable {
    package let device: DeviceID
    /// The credential's `iat`: one issued before a remote logout is refused.
    package let credentialIssuedAt: WallTime

    package init(device: DeviceID, credentialIssuedAt: WallTime) {
        self.device = device
        self.credentialIssuedAt = credentialIssuedAt
    }
}

/// A device as told to backends and operators; no token, ever.
package struct DeviceStatus: Equatable, Sendable {
    package let device: DeviceID
    /// Nil: it has no connection.
    package let presence: Presence?
    package let isWakeable: Bool
    package let transports: [Transport]
    package let appliedSeq: MailboxSeq
    package let profile: DeviceProfile

    package var isOnline: Bool { presence != nil }

    init(_ device: Device) {
        self.device = device.id
        presence = device.presence
        isWakeable = device.isWakeable
        transports = device.tokens.map(\.transport)
        appliedSeq = device.appliedSeq
        profile = device.profile
    }
}

package struct MailboxPage: Sendable {
    package let mailboxID: MailboxID
    package let entries: [MailboxEntry]
    package let mailboxSeq: MailboxSeq
    package let firstSeq: MailboxSeq
    package let hasMore: Bool
    package let isTruncated: Bool
    package let badge: BadgeState
}

package enum ReadTarget: Sendable {
    case conversation(ConversationID, through: MailboxSeq)
    case message(ConversationID, MessageID)
    case all
    /// The user is no longer in the conversation.
    case leaving(ConversationID)
}

/// One conversation of a user, as told to backends and devices.
package struct ConversationStatus: Sendable {
    package let id: ConversationID
    package let conversation: Conversation
}

/// What is known of one (message, user), live and recorded.
package struct Explanation: Sendable {
    package let message: MessageID
    package let user: UserID
    /// Nil: the user has no entry of this message.
    package let seq: MailboxSeq?
    package let materialisedAt: WallTime?
    package let mention: Mention
    package let isOwnMessage: Bool
    package let wantsPush: Bool
    package let devices: [DeviceExplanation]
}

package struct DeviceExplanation: Sendable {
    package let device: DeviceID
    /// `held`, `merging`, `ready`, `in_flight`, `retrying` or the word of the outcome.
    package let state: String
    package let reason: String
    /// JSON, an array of steps.
    package let trace: [UInt8]
}

/// Depths and counts of one shard, taken at one moment.
package struct ShardStatus: Sendable {
    package var shard = 0
    package var isOpen = false
    package var usersCached = 0
    package var connections = 0
    /// Of the connected devices, those whose catch-up has not reached the head.
    package var catchingUp = 0
    /// Entries in the sockets of connected devices that these have not acknowledged.
    package var pushedNotApplied: Int64 = 0
    package var inboxDepth = 0
    package var held = 0
    package var merging = 0
    package var ready = 0
    package var inFlight = 0
    package var retrying = 0
    /// Tasks whose end is decided and not yet committed: still open, in no other state, and not yet counted.
    package var ending = 0
    /// Calls, as their callees have them, that ring.
    package var callsRinging = 0
    package var oldestDueMilliseconds: Int64 = 0
    /// Users read back and not yet loaded.
    package var readBackRemaining = 0
    /// Of the lease this shard was opened with; 0 before the first.
    package var epoch: Int64 = 0
    package var counters = ShardCounters()
    package var channels: [ChannelStatus] = []

    package init() {}
}

package struct ChannelStatus: Sendable {
    package let channel: ChannelID
    package let queued: Int
    package let inFlight: Int
    package let window: Int
    package let reason: String
}

/// Growing counts of one shard since start.
package struct ShardCounters: Sendable, Equatable {
    package var messages: UInt64 = 0
    package var duplicates: UInt64 = 0
    package var entries: UInt64 = 0
    package var tasks: UInt64 = 0
    package var pushesBuilt: UInt64 = 0
    package var applied: UInt64 = 0
    package var commits: UInt64 = 0
    package var commitFailures: UInt64 = 0
    /// By `Outcome` and `OutcomeReason`.
    package var outcomes: [OutcomeKey: UInt64] = [:]
    /// Covers and badge-only pushes.
    package var silentPushes: [SilentKey: UInt64] = [:]

    package struct SilentKey: Hashable, Sendable {
        package let kind: PushKind
        package let isSent: Bool

        package init(kind: PushKind, isSent: Bool) {
            self.kind = kind
            self.isSent = isSent
        }
    }
    package var calls = CallCounters()

    package struct OutcomeKey: Hashable, Sendable {
        package let outcome: Outcome
        package let reason: OutcomeReason
    }
}
