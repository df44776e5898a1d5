import Domain
import Engine
import EventLoop

/// How far a shard's tables may lag behind what it has committed.
package struct JournalLimits: Sendable {
    /// Written to its table with the first commit after so long, or by itself after twice that.
    package var milliseconds: Int
    /// Changes that wait at most; a transaction of more is written at once. 0: nothing ever waits.
    package var rows: Int

    package init(milliseconds: Int = 1_000, rows: Int = 20_000) {
        self.milliseconds = milliseconds
        self.rows = rows
    }
}

/// What a shard has committed and the tables do not have yet.
struct ShardJournal {
    /// How many generations of pages come while one waits: so much of what waits is written at a time.
    private static let generations: UInt64 = 4

    let limits: JournalLimits
    private var pending = PendingRows()
    /// Given to the newest page.
    private var allotted: Int64 = 0

    init(_ limits: JournalLimits) { self.limits = limits }

    var isEmpty: Bool { pending.isEmpty }

    /// The records that wait, by their users.
    var records: LatestRows<UserKey, RecordRow> { pending.records }

    /// Whether a page may wait.
    func takes(_ page: JournalPage) -> Bool { page.rowCount <= limits.rows && limits.rows > 0 }

    /// The place of the next page; positions grow within a life of the shard.
    mutating func allot() -> Int64 {
        allotted += 1
        return allotted
    }

    /// A page that has been committed.
    mutating func add(_ page: JournalPage, at position: Int64) {
        let now = MonotonicClock.now()
        let isOver = pending.newest.map { now - $0 >= delay / Self.generations } ?? true
        if isOver { pending.beginGeneration(at: now) }
        pending.add(page, at: position)
    }

    /// What has waited for as long as it may, and what leaves no room for a page.
    mutating func takeDue(before page: JournalPage = JournalPage()) -> PendingRows.Leaving {
        if isEmpty { return PendingRows.Leaving() }
        let now = MonotonicClock.now()
        return pending.take { [delay, limits] in
            now - $0 >= delay || $1 + page.rowCount > limits.rows
        }
    }

    /// All that waits, and a page after it.
    mutating func takeAll(before page: JournalPage) -> PendingRows.Leaving {
        guard !isEmpty || page.repeatsItself else { return PendingRows.Leaving(page: page) }
        pending.add(page, at: nil)
        return pending.take { _, _ in true }
    }

    /// A new life of the shard, whose journal is empty.
    mutating func begin() {
        pending = PendingRows()
        allotted = 0
    }

    private var delay: UInt64 { UInt64(limits.milliseconds) * 1_000_000 }
}
