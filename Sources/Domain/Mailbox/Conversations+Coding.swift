/// The stored projection: a checkpoint of the fold, so that a mailbox is not folded from its first entry each
/// time. Format 1: little-endian base-128 integers, unread seqs as differences.
extension Conversations {
    package func encoded() -> [UInt8] {
        var bytes = ByteEncoder()
        bytes.put(1)
        bytes.put(all.count)
        for (id, conversation) in all {
            bytes.put(text: id.text)
            bytes.put(Int(conversation.readSeq))
            bytes.put(Int(conversation.lastSeq))
            bytes.put(conversation.isMuted ? 1 : 0)
            bytes.put(Int(conversation.mutedUntil?.milliseconds ?? 0))
            bytes.put(conversation.unread.count)
            var last: Int64 = 0
            for entry in conversation.unread {
                bytes.put(Int(entry.packed - last))
                last = entry.packed
            }
        }
        return bytes.bytes
    }

    /// Nil if the bytes are no projection of this format: the caller folds from the beginning.
    package init?(decoding bytes: [UInt8], through seq: MailboxSeq, badgeCountsMuted: Bool) {
        self.init(badgeCountsMuted: badgeCountsMuted)
        var decoder = ByteDecoder(bytes)
        guard decoder.take() == 1, let count = decoder.take() else { return nil }
        for _ in 0..<count {
            guard let id = decoder.takeText(), let conversation = Conversation(from: &decoder) else {
                return nil
            }
            all[ConversationID(id)] = conversation
        }
        guard decoder.isAtEnd else { return nil }
        badge.projectionSeq = seq
        recount()
    }
}

extension Conversation {
    fileprivate init?(from decoder: inout ByteDecoder) {
        guard let read = decoder.take(), let last = decoder.take(), let muted = decoder.take(),
            let until = decoder.take(), let count = decoder.take(), count <= decoder.remaining
        else { return nil }
        readSeq = Int64(read)
        lastSeq = Int64(last)
        isMuted = muted == 1
        mutedUntil = until == 0 ? nil : WallTime(milliseconds: Int64(until))
        var packed: Int64 = 0
        for _ in 0..<count {
            guard let step = decoder.take() else { return nil }
            packed += Int64(step)
            append(UnreadEntry(packed: packed))
        }
    }
}
