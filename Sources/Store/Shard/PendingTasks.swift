import Domain
import Engine

/// The pages of a shard's journal, put together: what the table of tasks has still to be given.
///
/// Of a task's moves the newest remains, and of a task that was made and ended meanwhile nothing.
struct PendingTasks {
    private struct TaskID: Hashable {
        let device: DeviceKey
        let seq: MailboxSeq

        init(_ task: TaskReference) { (device, seq) = (task.device, task.seq) }
        init(_ task: TaskRow) { (device, seq) = (task.device, task.seq) }
    }

    private var made: [TaskID: TaskRow] = [:]
    private var moved: [TaskID: TaskMove] = [:]
    /// Those that have rows in the table.
    private var ended: [TaskReference] = []
    /// Rows that came, those included of which nothing remains.
    private(set) var rowCount = 0

    var isEmpty: Bool { rowCount == 0 }

    /// Adds a page that is newer than all before it.
    mutating func add(_ page: JournalPage) {
        rowCount += page.rowCount
        for row in page.made { made[TaskID(row)] = row }
        for move in page.moved { moved[TaskID(move.task)] = move }
        for task in page.ended {
            let id = TaskID(task)
            if !moved.isEmpty { moved[id] = nil }
            if made.isEmpty || made.removeValue(forKey: id) == nil { ended.append(task) }
        }
    }

    /// What is to be written, each task once; those that ended first, since one can come back.
    var page: JournalPage {
        var page = JournalPage()
        page.made = Array(made.values)
        page.moved = Array(moved.values)
        page.ended = ended
        return page
    }
}
