import Domain

/// A user's log as somebody with a pencil would count it: lists of what was sent, read, recalled and muted,
/// gone through from the beginning each time. The fold of the server is another program.
struct Ledger {
    /// Of what has not happened.
    private static let never = MailboxSeq.max

    private struct Posted {
        let seq: MailboxSeq
        let place: Int
        let countsUnread: Bool
        let isMention: Bool
        /// The entry that took it back.
        var recalledAt = Ledger.never
    }

    private struct Marker {
        let at: MailboxSeq
        let place: Int
        let through: MailboxSeq
    }

    private struct Mute {
        let at: MailboxSeq
        let place: Int
        let isMuted: Bool
        let until: WallTime?
    }

    private(set) var head: MailboxSeq = 0
    private var seqs: [MessageID: MailboxSeq] = [:]
    private var places: [ConversationID: Int] = [:]
    private var posted: [Posted] = []
    private var markers: [Marker] = []
    private var mutes: [Mute] = []

    /// False: it is a message that is there already.
    mutating func write(_ entry: MailboxEntry) -> Bool {
        head = entry.seq
        switch entry.change {
        case .message(let message, let mention, let countsUnread):
            guard seqs.updateValue(entry.seq, forKey: message.id) == nil else { return false }
            posted.append(
                Posted(
                    seq: entry.seq, place: place(message.conversation.id), countsUnread: countsUnread,
                    isMention: mention != .none))
        case .read(let conversation, let through, _):
            markers.append(Marker(at: entry.seq, place: place(conversation), through: through))
        case .recall(_, _, let seq):
            guard let at = posted.firstIndex(where: { $0.seq == seq }) else { break }
            posted[at].recalledAt = min(posted[at].recalledAt, entry.seq)
        case .settings(let conversation, let isMuted, let until):
            mutes.append(Mute(at: entry.seq, place: place(conversation), isMuted: isMuted, until: until))
        }
        return true
    }

    private mutating func place(_ conversation: ConversationID) -> Int {
        if let known = places[conversation] { return known }
        places[conversation] = places.count
        return places.count - 1
    }

    func seq(of message: MessageID) -> MailboxSeq? { seqs[message] }

    // MARK: - As of an entry

    func badge(through seq: MailboxSeq, countsMuted: Bool) -> BadgeState {
        var (total, mentions, muted): (Int64, Int64, Int64) = (0, 0, 0)
        for place in 0..<places.count {
            let count = unread(at: place, through: seq)
            mentions += count.mentions
            if !isMuted(at: place, through: seq) {
                total += count.unread
            } else {
                muted += count.unread
                total += countsMuted ? count.unread : count.mentions
            }
        }
        return BadgeState(
            totalUnread: total, totalMention: mentions, mutedUnread: muted, projectionSeq: min(seq, head))
    }

    func unread(
        in conversation: ConversationID, through seq: MailboxSeq = .max
    ) -> (unread: Int64, mentions: Int64) {
        places[conversation].map { unread(at: $0, through: seq) } ?? (0, 0)
    }

    func isMuted(_ conversation: ConversationID, through seq: MailboxSeq = .max) -> Bool {
        places[conversation].map { isMuted(at: $0, through: seq) } ?? false
    }

    /// Up to where a conversation was read.
    func marker(of conversation: ConversationID, through seq: MailboxSeq = .max) -> MailboxSeq {
        places[conversation].map { marker(at: $0, through: seq) } ?? 0
    }

    func isRecalled(_ seq: MailboxSeq, through: MailboxSeq = .max) -> Bool {
        posted.first { $0.seq == seq }.map { $0.recalledAt <= min(through, head) } ?? false
    }

    /// The mutes that are in force, with the end they name.
    var mutesInForce: [(conversation: ConversationID, until: WallTime?)] {
        places.compactMap { conversation, place in
            guard let last = mutes.last(where: { $0.place == place }), last.isMuted else { return nil }
            return (conversation, last.until)
        }
    }

    private func unread(at place: Int, through seq: MailboxSeq) -> (unread: Int64, mentions: Int64) {
        let marker = marker(at: place, through: seq)
        var (unread, mentions): (Int64, Int64) = (0, 0)
        for message in posted where message.place == place && message.seq > marker && message.seq <= seq {
            guard message.countsUnread, message.recalledAt > min(seq, head) else { continue }
            unread += 1
            if message.isMention { mentions += 1 }
        }
        return (unread, mentions)
    }

    private func marker(at place: Int, through seq: MailboxSeq) -> MailboxSeq {
        var highest: MailboxSeq = 0
        for marker in markers where marker.place == place && marker.at <= seq {
            highest = max(highest, marker.through)
        }
        return highest
    }

    private func isMuted(at place: Int, through seq: MailboxSeq) -> Bool {
        mutes.last { $0.place == place && $0.at <= seq }?.isMuted ?? false
    }
}
