import Domain

/// How far a device's connection has been written, and whether it still catches up. Pure.
///
/// Nothing is written twice and nothing is left out: what comes live above a gap is dropped, and the gap is
/// pulled.
struct ReplayCursor: Equatable {
    private(set) var writtenSeq: MailboxSeq
    private(set) var isLive: Bool
    /// A page was asked for and has not come.
    private(set) var isPulling = false

    init(after seq: MailboxSeq, isLive: Bool) {
        writtenSeq = seq
        self.isLive = isLive
    }

    var wantsPage: Bool { !isLive && !isPulling }

    mutating func pulled() { isPulling = true }

    /// The engine lost its place: pull again, whatever was asked for before.
    mutating func restart() {
        isLive = false
        isPulling = false
    }

    /// The entries of a page that are new.
    mutating func take(page entries: [MailboxEntry], isLast: Bool) -> [MailboxEntry] {
        isPulling = false
        if isLast { isLive = true }
        let new = entries.filter { $0.seq > writtenSeq }
        if let last = new.last { writtenSeq = last.seq }
        return new
    }

    /// The live entries that follow without a gap.
    mutating func take(live entries: [MailboxEntry]) -> [MailboxEntry] {
        guard isLive else { return [] }
        var new: [MailboxEntry] = []
        for entry in entries where entry.seq > writtenSeq {
            guard entry.seq == writtenSeq + 1 else {
                isLive = false
                break
            }
            writtenSeq = entry.seq
            new.append(entry)
        }
        return new
    }
}
