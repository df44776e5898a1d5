/// Whether the entries of one device's connections come in order: after each AUTH_OK, what follows the
/// acknowledged seq, one by one. Pure.
struct EntryOrder: Equatable, Sendable {
    /// What must not happen, in words.
    enum Violation: Equatable, Sendable, CustomStringConvertible {
        /// Entries were left out.
        case gap(expected: Int64, got: Int64)
        /// The same entry twice over one connection, or one below what was acknowledged.
        case repeated(Int64, expected: Int64)
        /// One that had been left out comes after a later one.
        case outOfOrder(Int64, expected: Int64)
        /// The mailbox has another id than before.
        case otherMailbox
        /// A head below what this device has already received.
        case headBelow(Int64, received: Int64)
        /// An entry before AUTH_OK.
        case unwelcomed(Int64)

        var description: String {
            switch self {
            case .gap(let expected, let got): "gap: entry \(got) came where \(expected) was due"
            case .repeated(let seq, let expected):
                "repeat: entry \(seq) came again where \(expected) was due"
            case .outOfOrder(let seq, let expected):
                "out of order: entry \(seq) came late where \(expected) was due"
            case .otherMailbox: "wrong mailbox: it has another id than before"
            case .headBelow(let head, let received):
                "wrong mailbox: its head is \(head), entry \(received) was received before"
            case .unwelcomed(let seq): "entry \(seq) came before AUTH_OK"
            }
        }
    }

    /// The highest seq ever received.
    private(set) var lastSeq: Int64 = 0
    /// The next seq over this connection; nil before its AUTH_OK.
    private(set) var expected: Int64?
    /// What was left out over this connection, from the last gap.
    private var missing: Range<Int64> = 0..<0

    /// A connection begins; what it brings is expected above `appliedSeq`.
    mutating func begin(
        appliedSeq: Int64, isFromHead: Bool, head: Int64, firstSeq: Int64, isTruncated: Bool
    ) -> Violation? {
        let start = isFromHead ? head : isTruncated ? firstSeq - 1 : appliedSeq
        expected = start + 1
        missing = 0..<0
        return head < lastSeq ? .headBelow(head, received: lastSeq) : nil
    }

    /// The mailbox starts anew.
    mutating func forget() { self = EntryOrder() }

    mutating func end() { expected = nil }

    mutating func take(_ seq: Int64) -> Violation? {
        guard let due = expected else { return .unwelcomed(seq) }
        lastSeq = max(lastSeq, seq)
        if seq >= due { expected = seq + 1 }
        if seq == due { return nil }
        if seq > due {
            missing = due..<seq
            return .gap(expected: due, got: seq)
        }
        return missing.contains(seq) ? .outOfOrder(seq, expected: due) : .repeated(seq, expected: due)
    }
}
