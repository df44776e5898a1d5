import Domain
import Engine

/// Between "the provider accepted" and "we recorded it" a crash can repeat a request, under the same ids.
final class OneNotificationPerTask: Invariant {
    let sentence = "a device is notified of a message once; after a crash again under the same ids"
    unowned let world: World
    private var accepted: [Database.TaskID: Int] = [:]

    init(_ world: World) { self.world = world }

    func answered(_ push: Push, _ verdict: PushVerdict) {
        guard verdict == .accepted else { return }
        for task in push.tasks {
            accepted[task, default: 0] += 1
            hold(
                accepted[task, default: 0] <= 1 + world.crashedAt.count,
                "\(push): \(task.seq) has been accepted \(accepted[task, default: 0]) times")
        }
    }
}
