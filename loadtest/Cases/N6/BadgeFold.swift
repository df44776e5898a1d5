/// The badge after each entry of a mailbox, counted from the entries alone, apart from the server: every
/// message is kept with what became of it, and all are counted anew wherever a number is asked for.
struct BadgeFold: Equatable, Sendable {
    /// A message that counts.
    private struct Unread: Equatable, Sendable {
        let seq: Int64
        let messageID: String
        let conversation: String
        let isMention: Bool
    }

    /// By seq: index 0 is the empty mailbox.
    private(set) var badges = [ShownBadge(unread: 0, projectionSeq: 0)]
    /// By id, as they are after the last entry.
    private(set) var conversations: [String: ShownConversation] = [:]
    /// Whether the seqs have no gap: without that nothing here means anything.
    private(set) var isWhole = true

    private let countsMuted: Bool
    private var unread: [Unread] = []
    private var readThrough: [String: Int64] = [:]
    private var muted: Set<String> = []
    private var lastMessage: [String: Int64] = [:]

    /// - Parameter countsMuted: the tenant's `badge_counts_muted`.
    init(_ entries: [ServerFrame.Entry], countsMuted: Bool) {
        self.countsMuted = countsMuted
        for entry in entries {
            if entry.seq != Int64(badges.count) { isWhole = false }
            take(entry)
            badges.append(badge(at: entry.seq))
        }
        for id in Set(lastMessage.keys).union(readThrough.keys).union(muted) {
            conversations[id] = conversation(id)
        }
    }

    var head: Int64 { Int64(badges.count) - 1 }

    var last: ShownBadge { badges[badges.count - 1] }

    /// Nil beyond the head.
    subscript(seq: Int64) -> ShownBadge? {
        seq >= 0 && seq < Int64(badges.count) ? badges[Int(seq)] : nil
    }

    private mutating func take(_ entry: ServerFrame.Entry) {
        let id = entry.conversation
        switch entry.kind {
        case "message":
            lastMessage[id] = entry.seq
            guard entry.countsUnread else { return }
            unread.append(
                Unread(
                    seq: entry.seq, messageID: entry.messageID ?? "", conversation: id,
                    isMention: entry.isMention))
        case "read":
            readThrough[id] = max(readThrough[id] ?? 0, entry.readSeq)
            unread.removeAll { $0.conversation == id && $0.seq <= readThrough[id] ?? 0 }
        case "recall": unread.removeAll { $0.messageID == entry.messageID && $0.conversation == id }
        case "settings":
            if entry.isMuted { muted.insert(id) } else { muted.remove(id) }
        default: isWhole = false
        }
    }

    private func badge(at seq: Int64) -> ShownBadge {
        ShownBadge(
            unread: Int64(
                unread.count { countsMuted || $0.isMention || !muted.contains($0.conversation) }),
            mentions: Int64(unread.count { $0.isMention }),
            mutedUnread: Int64(unread.count { muted.contains($0.conversation) }), projectionSeq: seq)
    }

    private func conversation(_ id: String) -> ShownConversation {
        let mine = unread.filter { $0.conversation == id }
        return ShownConversation(
            id, unread: Int64(mine.count), mentions: Int64(mine.count { $0.isMention }),
            isMuted: muted.contains(id), readSeq: readThrough[id] ?? 0, lastSeq: lastMessage[id] ?? 0)
    }
}
