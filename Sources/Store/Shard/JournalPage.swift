import Domain
import Engine

/// What of a transaction may wait for its tables: its tasks, most of which are over within milliseconds, and
/// the records of users, who may be pushed again soon.
struct JournalPage {
    var made: [TaskRow] = []
    var moved: [TaskMove] = []
    var ended: [TaskReference] = []
    var records: [RecordRow] = []

    init() {}

    init(_ changes: ChangeSet) {
        made = changes.tasksMade
        moved = changes.tasksMoved
        ended = changes.tasksEnded
        records = changes.records
    }

    var rowCount: Int { made.count + moved.count + ended.count + records.count }

    /// Whether it may name a task twice: one that it makes or moves can end in it.
    var repeatsItself: Bool { !ended.isEmpty && !(made.isEmpty && moved.isEmpty) }
}
