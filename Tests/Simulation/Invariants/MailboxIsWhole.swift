import Domain
import Engine

final class MailboxIsWhole: Invariant {
    let sentence = "mailbox_seq starts at 1, no gaps; every entry comes in order"
    unowned let world: World

    init(_ world: World) { self.world = world }

    func wrote(_ entries: [MailboxEntry], to client: SimulatedClient, after last: MailboxSeq) {
        var last = last
        for entry in entries {
            hold(entry.seq == last + 1, "\(client.name): \(entry.seq) follows \(last)")
            last = entry.seq
        }
    }

    func settled() {
        for (user, log) in world.database.entries {
            hold(log.map(\.seq) == Array(1...Int64(log.count)), "a gap in the mailbox of \(user)")
        }
    }
}
