import Domain

/// Which entries the kernel has taken: the places in the stream where they end. Pure.
///
/// PUSHED may be said only of bytes that have left for the socket's buffer, not of those in our own queue.
struct PushedEvidence {
    private var marks: [(offset: UInt64, seq: MailboxSeq)] = []
    private var first = 0

    /// An entry's frame ends at this offset of the stream.
    mutating func written(_ seq: MailboxSeq, endingAt offset: UInt64) { marks.append((offset, seq)) }

    /// The highest entry that is wholly below the offset the kernel has taken; nil if none is new.
    mutating func taken(through offset: UInt64) -> MailboxSeq? {
        var seq: MailboxSeq?
        while first < marks.count, marks[first].offset <= offset {
            seq = marks[first].seq
            first += 1
        }
        if first == marks.count {
            // An idle connection holds no memory for it.
            marks = []
            first = 0
        } else if first >= 64, first * 2 >= marks.count {
            marks.removeFirst(first)
            first = 0
        }
        return seq
    }
}
