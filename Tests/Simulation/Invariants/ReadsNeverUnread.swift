import Domain
import Engine

final class ReadsNeverUnread: Invariant {
    let sentence = "markers never move backwards"
    unowned let world: World
    private var markers: [UserKey: [ConversationID: MailboxSeq]] = [:]

    init(_ world: World) { self.world = world }

    func committed(_ transaction: Transaction) {
        for row in transaction.changes.entries {
            guard case .read(let conversation, let through, _) = row.entry.change else { continue }
            let former = markers[row.user]?[conversation] ?? 0
            hold(through > former, "a read of \(conversation) to \(through) after one to \(former)")
            hold(through < row.entry.seq, "a read to \(through) at \(row.entry.seq)")
            markers[row.user, default: [:]][conversation] = through
        }
    }

    func shown(
        _ link: SimulatedLink, _ client: SimulatedClient, _ deltas: [ConversationDelta], _ badge: BadgeState?,
        at seq: MailboxSeq
    ) {
        // A policy that changes moves the number, and no entry.
        hold(
            seq > link.shownSeq || (seq == link.shownSeq && deltas.isEmpty),
            "\(client.name) is shown the state of \(seq) after that of \(link.shownSeq)")
        for delta in deltas {
            let former = link.readSeqs[delta.id] ?? 0
            hold(delta.readSeq >= former, "\(client.name) is shown \(delta), it was read to \(former)")
        }
        link.showed(deltas, at: seq)
    }
}
