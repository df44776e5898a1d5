import Domain
import Engine

/// Duties end: once nothing fails any more, each task has its outcome.
final class NothingStaysOpen: Invariant {
    let sentence = "every task ends, once, with an outcome"
    unowned let world: World

    init(_ world: World) { self.world = world }

    func settled() {
        let open = world.database.tasks.keys.sorted()
        hold(open.isEmpty, "\(open.count) tasks are still open, the first for entry \(open.first?.seq ?? 0)")
    }
}
