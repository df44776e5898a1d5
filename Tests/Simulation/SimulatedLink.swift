import Domain
import Engine

/// One connection of a device, as its gateway is: takes what the engine gives, in order, and reports its end
/// once, whoever caused it.
///
/// `@unchecked Sendable`: a world never leaves the thread of its test.
final class SimulatedLink: DeviceLink, @unchecked Sendable {
    private unowned let client: SimulatedClient
    private var world: World { client.world }
    var handle: LinkHandle?
    private(set) var lastWritten: MailboxSeq = 0
    private var isCatchingUp = false
    private var shownSeq: MailboxSeq = 0
    private var hasEnded = false
    /// The socket takes no bytes: nothing is PUSHED.
    private let isStuck: Bool

    init(_ client: SimulatedClient, isStuck: Bool) {
        self.client = client
        self.isStuck = isStuck
    }

    func end(_ cause: CloseCause = .gone) {
        guard !hasEnded else { return }
        hasEnded = true
        handle?.closed(cause)
        client.ended(self, cause)
    }

    func welcome(_ welcome: Welcome) {
        if !hasEnded { client.welcomed() }
        lastWritten = welcome.replayAfter
        isCatchingUp = !welcome.isLive
        if isCatchingUp { handle?.pull(after: lastWritten, limit: 3) }
    }

    func page(_ entries: [MailboxEntry], isLast: Bool) {
        write(entries)
        isCatchingUp = !isLast
        if !isLast { handle?.pull(after: lastWritten, limit: 3) }
    }

    func deliver(_ entries: [MailboxEntry]) {
        world.check(!isCatchingUp, "a live entry during the catch-up")
        write(entries)
    }

    func resume() {
        isCatchingUp = true
        handle?.pull(after: lastWritten, limit: 3)
    }

    func show(_ conversations: [ConversationDelta], _ badge: BadgeState?, at seq: MailboxSeq) {
        world.check(seq > shownSeq, "a state of \(seq) after one of \(shownSeq)")
        shownSeq = seq
        guard let key = world.database.keys[client.user] else {
            return world.check(false, "a state of nobody")
        }
        if let badge {
            let counted = world.database.badge(of: key, through: seq)
            world.check(counted == badge, "BADGE_UPDATE \(badge), counted \(counted)")
        }
        for delta in conversations {
            let counted = world.database.unread(of: key, in: delta.id, through: seq)
            world.check(
                counted.unread == delta.unread && counted.readSeq == delta.readSeq,
                "SESSION_DELTA \(delta), counted \(counted)")
        }
    }

    func ring(_ call: Call) {}

    func callEnded(_ call: CallID, reason: String) {}

    func refuse(code: String, detail: String) { world.check(false, "refused: \(detail)") }

    func close(_ reason: LinkClose) { end(reason == .goingAway ? .drained : .gone) }

    private func write(_ entries: [MailboxEntry]) {
        for entry in entries {
            world.check(
                entry.seq == lastWritten + 1, "\(client.device): \(entry.seq) follows \(lastWritten)")
            lastWritten = entry.seq
        }
        guard !isStuck, !hasEnded, !entries.isEmpty else { return }
        client.wrote(entries, on: self)
        handle?.pushed(through: lastWritten)
    }
}
