import Domain
import Engine

/// The pages of a shard's journal, put together: what its tables have still to be given.
///
/// Pages come in generations, which leave in their order. A row leaves with the generation of the newest page
/// that has it: until then nothing is written of it. Of a task that was made and ended meanwhile nothing is
/// left, whichever generations they were.
struct PendingRows {
    private struct TaskID: Hashable {
        let device: DeviceKey
        let seq: MailboxSeq

        init(_ task: TaskReference) { (device, seq) = (task.device, task.seq) }
        init(_ task: TaskRow) { (device, seq) = (task.device, task.seq) }
    }

    private struct Generation {
        let number: Int
        let since: UInt64
        var places: ClosedRange<Int64>?
        /// Rows that came with it, those included of which nothing remains.
        var rowCount = 0
        /// Tasks that have rows in their table, or will when this leaves.
        var ended: [TaskReference] = []
    }

    /// What leaves, each row once, and where the pages lie that are done with then.
    struct Leaving {
        var page = JournalPage()
        /// Nil: no page is.
        var places: ClosedRange<Int64>?
    }

    private var made = LatestRows<TaskID, TaskRow>()
    private var moved = LatestRows<TaskID, TaskMove>()
    private(set) var records = LatestRows<UserKey, RecordRow>()
    /// The oldest first.
    private var generations: [Generation] = []
    private var begun = 0

    var isEmpty: Bool { generations.isEmpty }

    var rowCount: Int { generations.reduce(0) { $0 + $1.rowCount } }

    /// When the first page of the oldest generation came.
    var oldest: UInt64? { generations.first?.since }

    /// When the first page of the newest generation came.
    var newest: UInt64? { generations.last?.since }

    /// Begins a generation; the pages that are added from now on are of it.
    mutating func beginGeneration(at now: UInt64) {
        begun += 1
        generations.append(Generation(number: begun, since: now))
    }

    /// Adds a page that is newer than all before it.
    /// - Parameter place: where it lies; nil: nowhere.
    mutating func add(_ page: JournalPage, at place: Int64?) {
        if isEmpty { beginGeneration(at: 0) }
        let newest = generations.count - 1
        generations[newest].places = generations[newest].places.joined(place.map { $0...$0 })
        generations[newest].rowCount += page.rowCount
        for row in page.made { made.put(row, of: TaskID(row), in: begun) }
        for move in page.moved { moved.put(move, of: TaskID(move.task), in: begun) }
        for task in page.ended {
            let id = TaskID(task)
            moved.remove(id)
            if !made.remove(id) { generations[newest].ended.append(task) }
        }
        for row in page.records { put(row) }
    }

    /// A row whose first version never reached the table is still the first.
    private mutating func put(_ row: RecordRow) {
        let isFirst = row.isFirst || records[row.user]?.isFirst ?? false
        let row =
            isFirst == row.isFirst
            ? row : RecordRow(user: row.user, isOwed: row.isOwed, record: row.record, isFirst: true)
        records.put(row, of: row.user, in: begun)
    }

    /// Takes the oldest generations. Of their tasks those that ended go first, since one can come back.
    mutating func take(while isDue: (_ since: UInt64, _ rowCountOfAll: Int) -> Bool) -> Leaving {
        var leaving = Leaving()
        var last = 0
        while let first = generations.first, isDue(first.since, rowCount) {
            leaving.page.ended += first.ended
            leaving.places = leaving.places.joined(first.places)
            last = first.number
            generations.removeFirst()
        }
        guard last > 0 else { return leaving }
        leaving.page.made = made.take(through: last)
        leaving.page.moved = moved.take(through: last)
        leaving.page.records = records.take(through: last)
        return leaving
    }
}

extension ClosedRange<Int64>? {
    /// From the beginning of this one to the end of a later one.
    fileprivate func joined(_ later: Self) -> Self {
        guard let self, let later else { return self ?? later }
        return self.lowerBound...later.upperBound
    }
}
