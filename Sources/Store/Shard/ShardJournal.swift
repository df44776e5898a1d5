import Domain
import Engine
import EventLoop

/// How far a shard's table of tasks may lag behind what it has committed.
package struct JournalLimits: Sendable {
    /// Written to the table with the first commit after so long, or by itself after twice that.
    package var milliseconds: Int
    /// Changes that wait at most; a transaction of more is written at once. 0: nothing ever waits.
    package var rows: Int

    package init(milliseconds: Int = 100, rows: Int = 8_000) {
        self.milliseconds = milliseconds
        self.rows = rows
    }
}

/// What of its tasks a shard has committed and their table does not have yet.
struct ShardJournal {
    let limits: JournalLimits
    private var pending = PendingTasks()
    /// Where the pages in `pending` lie; nil: there are none.
    private var places: ClosedRange<Int64>?
    /// Given to the newest page.
    private var allotted: Int64 = 0
    /// When the oldest page in `pending` came.
    private var since: UInt64 = 0

    init(_ limits: JournalLimits) { self.limits = limits }

    var isEmpty: Bool { pending.isEmpty }

    /// Whether the oldest has waited for as long as it may.
    var isDue: Bool {
        !isEmpty && MonotonicClock.now() - since >= UInt64(limits.milliseconds) * 1_000_000
    }

    /// Whether a page may wait with what waits already.
    func takes(_ page: JournalPage) -> Bool {
        pending.rowCount + page.rowCount <= limits.rows && limits.rows > 0 && !isDue
    }

    /// The place of the next page; positions grow within a life of the shard.
    mutating func allot() -> Int64 {
        allotted += 1
        return allotted
    }

    /// A page that has been committed.
    mutating func add(_ page: JournalPage, at position: Int64) {
        if isEmpty { since = MonotonicClock.now() }
        pending.add(page)
        places = (places?.lowerBound ?? position)...position
    }

    /// All that waits, and a page after it, to be written together; and which pages are done with then.
    mutating func takeAll(before page: JournalPage) -> (JournalPage, ClosedRange<Int64>?) {
        guard !isEmpty || page.repeatsItself else { return (page, nil) }
        pending.add(page)
        defer { (pending, places) = (PendingTasks(), nil) }
        return (pending.page, places)
    }

    /// A new life of the shard, whose journal is empty.
    mutating func begin() {
        (pending, places) = (PendingTasks(), nil)
        allotted = 0
    }
}
