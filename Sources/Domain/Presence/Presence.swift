/// Names one gateway connection of this process; growing.
package struct ConnectionID: Hashable, Comparable, Sendable {
    package let raw: UInt64

    package init(_ raw: UInt64) { self.raw = raw }

    package static func < (left: Self, right: Self) -> Bool { left.raw < right.raw }
}

/// One live gateway connection of one device.
package struct Presence: Equatable, Sendable {
    package let connection: ConnectionID
    package let connectedAt: WallTime
    /// When AUTH_OK told it the state; long ago, where the state was read back under the connection.
    let welcomedAt: Instant
    /// Entries up to here are not written on this connection: the client has them, or wanted no history.
    package let replayAfter: MailboxSeq
    /// The highest seq of which the socket has taken the bytes. Not proof of receipt.
    package internal(set) var pushedSeq: MailboxSeq
    /// What the app itself has acknowledged, by now or when it connected: what comes over HTTP meanwhile may
    /// be an extension's.
    package internal(set) var appliedSeq: MailboxSeq = 0
    /// Whether new entries are written as they come; false while the device catches up from the store.
    package internal(set) var isLive: Bool

    package init(
        connection: ConnectionID, connectedAt: WallTime, welcomedAt: Instant = Instant(milliseconds: 0),
        replayAfter: MailboxSeq, isLive: Bool
    ) {
        self.connection = connection
        self.connectedAt = connectedAt
        self.welcomedAt = welcomedAt
        self.replayAfter = replayAfter
        self.pushedSeq = replayAfter
        self.isLive = isLive
    }
}

/// Why a connection ended.
package enum CloseCause: UInt8, Sendable {
    /// The device went: closed, failed, timed out, or was closed by us for a fault of its own.
    case gone
    /// Our own planned drain: holds keep their deadlines.
    case drained
}
