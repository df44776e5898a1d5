import Wire

/// The numbers of a badge, as the server names them.
struct ShownBadge: Equatable, Sendable {
    let unread: Int64
    let mentions: Int64
    let mutedUnread: Int64
    let projectionSeq: Int64

    /// Nil if the frame carries none.
    init?(_ frame: JSONNode) {
        guard let unread = frame["total_unread"]?.integer, let mentions = frame["total_mention"]?.integer,
            let mutedUnread = frame["muted_unread"]?.integer,
            let seq = frame["badge_projection_mailbox_seq"]?.integer
        else { return nil }
        self.init(unread: unread, mentions: mentions, mutedUnread: mutedUnread, projectionSeq: seq)
    }

    init(unread: Int64, mentions: Int64 = 0, mutedUnread: Int64 = 0, projectionSeq: Int64) {
        self.unread = unread
        self.mentions = mentions
        self.mutedUnread = mutedUnread
        self.projectionSeq = projectionSeq
    }
}

extension ShownBadge: CustomStringConvertible {
    var description: String {
        "\(unread) unread, \(mentions) mentions, \(mutedUnread) muted at seq \(projectionSeq)"
    }
}

/// One entry as a device first saw it. Times are milliseconds since the fleet began; 0: not yet.
struct SeenEntry: Equatable, Sendable {
    /// The number in the message's id; -1 for what is no message of the harness.
    var message: Int32 = -1
    /// When the harness sent the message; 0 if it did not.
    var sentAt: UInt32 = 0
    var receivedAt: UInt32 = 0
    var appliedAt: UInt32 = 0
}

/// A time without an authenticated connection, in milliseconds since the fleet began.
struct Absence: Equatable, Sendable {
    let from: UInt32
    /// When AUTH_OK came again; `.max` while it lasts.
    var until: UInt32
    /// The head that it named: entries up to it were there before the device was back.
    var head: Int64 = .max
}

/// All that one device knows of itself: the evidence that checkers are given.
struct DeviceObservation: Equatable, Sendable {
    private static let keptViolations = 4

    fileprivate(set) var order = EntryOrder()
    private(set) var mailbox: UUIDBytes?
    /// The highest seq acknowledged, over a connection or from an earlier life.
    private(set) var appliedSeq: Int64 = 0
    /// The head that the last AUTH_OK named.
    private(set) var head: Int64 = 0
    /// Entries received, those repeated after a reconnect included.
    private(set) var entries = 0
    private(set) var connections = 0
    private(set) var badge: ShownBadge?
    /// Of the last connection that ended; 1006 without a close frame.
    private(set) var closeCode: UInt16?
    private(set) var violationCount = 0
    /// The first few, in words.
    private(set) var violations: [String] = []
    /// By seq from `firstSeq` on, and only if the fleet keeps them.
    private(set) var seen: [SeenEntry] = []
    private(set) var firstSeq: Int64 = 1
    private(set) var absences: [Absence] = []

    init(appliedSeq: Int64 = 0, mailbox: UUIDBytes? = nil) {
        self.appliedSeq = appliedSeq
        self.mailbox = mailbox
    }

    var lastSeq: Int64 { order.lastSeq }

    subscript(seq: Int64) -> SeenEntry? {
        let index = seq - firstSeq
        return index >= 0 && index < seen.count ? seen[Int(index)] : nil
    }

    mutating func note(_ violation: String) {
        violationCount += 1
        if violations.count < Self.keptViolations { violations.append(violation) }
    }

    mutating func note(_ violation: EntryOrder.Violation?) { if let violation { note("\(violation)") } }

    /// AUTH_OK came.
    mutating func welcomed(_ welcome: WelcomeFrame, isFromHead: Bool, at now: UInt32) {
        connections += 1
        if let mailbox, mailbox != welcome.mailbox {
            note(.otherMailbox)
            order.forget()
            (appliedSeq, seen) = (0, [])
        }
        mailbox = welcome.mailbox
        head = welcome.head
        badge = welcome.badge ?? badge
        if isFromHead { appliedSeq = welcome.head }
        note(
            order.begin(
                appliedSeq: appliedSeq, isFromHead: isFromHead, head: welcome.head,
                firstSeq: welcome.firstSeq, isTruncated: welcome.isTruncated))
        if let last = absences.indices.last, absences[last].until == .max {
            absences[last].until = now
            absences[last].head = welcome.head
        }
    }

    /// - Parameter keeping: the message's number and the time, if entries are kept.
    mutating func received(_ seq: Int64, keeping entry: SeenEntry?) {
        entries += 1
        note(order.take(seq))
        guard let entry else { return }
        if seen.isEmpty { firstSeq = seq }
        guard seq >= firstSeq else { return }
        while Int64(seen.count) <= seq - firstSeq { seen.append(SeenEntry()) }
        let index = Int(seq - firstSeq)
        if seen[index].receivedAt == 0 {
            seen[index] = entry
        } else if seen[index].message != entry.message {
            note("changed: entry \(seq) was message \(seen[index].message), now it is \(entry.message)")
        }
    }

    mutating func applied(_ seq: Int64, at now: UInt32) {
        guard seq > appliedSeq else { return }
        if !seen.isEmpty {
            for at in max(appliedSeq + 1, firstSeq)...max(seq, firstSeq) where at - firstSeq < seen.count {
                seen[Int(at - firstSeq)].appliedAt = now
            }
        }
        appliedSeq = seq
    }

    mutating func showed(_ badge: ShownBadge) {
        if let shown = self.badge, badge.projectionSeq < shown.projectionSeq {
            note("badge: one of seq \(badge.projectionSeq) after one of \(shown.projectionSeq)")
        }
        self.badge = badge
    }

    /// The connection is over.
    mutating func ended(_ code: UInt16, at now: UInt32, keepsAbsence: Bool) {
        closeCode = code
        order.end()
        if keepsAbsence { absences.append(Absence(from: now, until: .max)) }
    }
}
