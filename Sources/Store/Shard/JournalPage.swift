import Domain
import Engine

/// What of a transaction may wait for its table: its tasks, most of which are over within milliseconds.
struct JournalPage {
    var made: [TaskRow] = []
    var moved: [TaskMove] = []
    var ended: [TaskReference] = []

    init() {}

    init(_ changes: ChangeSet) {
        made = changes.tasksMade
        moved = changes.tasksMoved
        ended = changes.tasksEnded
    }

    var rowCount: Int { made.count + moved.count + ended.count }

    /// Whether it may name a task twice: one that it makes or moves can end in it.
    var repeatsItself: Bool { !ended.isEmpty && !(made.isEmpty && moved.isEmpty) }
}
