import Domain
import Engine

/// One connection of a device, as its gateway is: takes what the engine gives, in order, and reports its end
/// once, whoever caused it.
///
/// `@unchecked Sendable`: a world never leaves the thread of its test.
final class SimulatedLink: DeviceLink, @unchecked Sendable {
    private let client: SimulatedClient
    private var world: World { client.world }
    var handle: LinkHandle?
    private(set) var lastWritten: MailboxSeq = 0
    private(set) var isCatchingUp = false
    /// The state it was last shown, and how far its conversations were read there.
    private(set) var shownSeq: MailboxSeq = 0
    private(set) var readSeqs: [ConversationID: MailboxSeq] = [:]
    private var hasEnded = false
    /// The socket takes no bytes: nothing is PUSHED, and nothing is heard.
    private(set) var isStuck: Bool
    /// When it was heard last, since then it is stuck.
    private var heardAt: Int64
    private static let window = Policy().sessionDeltaMergeWindow
    /// The badge that waits for the window of BADGE_UPDATE.
    private var pendingBadge: BadgeState?

    init(_ client: SimulatedClient, isStuck: Bool) {
        self.client = client
        self.isStuck = isStuck
        heardAt = client.world.clockwork.now
    }

    func goDeaf() {
        guard !isStuck else { return }
        isStuck = true
        heardAt = world.clockwork.now
    }

    func end(_ cause: CloseCause = .gone) {
        guard !hasEnded else { return }
        hasEnded = true
        handle?.closed(cause, silentFor: isStuck ? world.clockwork.now - heardAt : 0)
        client.ended(self, cause)
    }

    func welcome(_ welcome: Welcome) {
        if !hasEnded { client.welcomed(welcome, on: self) }
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
        if isCatchingUp { world.violated("catch-up, then live", "a live entry during the catch-up") }
        write(entries)
    }

    func resume() {
        isCatchingUp = true
        handle?.pull(after: lastWritten, limit: 3)
    }

    func show(_ conversations: [ConversationDelta], _ badge: BadgeState?, at seq: MailboxSeq) {
        for invariant in world.invariants { invariant.shown(self, client, conversations, badge, at: seq) }
        guard let badge else { return }
        if pendingBadge == nil {
            world.clockwork.schedule(after: Self.window, epoch: nil) { self.updateBadge() }
        }
        pendingBadge = badge
    }

    private func updateBadge() {
        guard let badge = pendingBadge else { return }
        pendingBadge = nil
        if !isStuck, client.has(self) { client.screen.sync(badge) }
    }

    func ring(_ call: Call) {
        for invariant in world.invariants { invariant.rang(client, call) }
        if !isStuck, !hasEnded { client.rang(call, on: self) }
    }

    func callEnded(_ call: CallID, reason: String) {
        if !isStuck, !hasEnded { client.stopRinging(call) }
    }

    func showed(_ deltas: [ConversationDelta], at seq: MailboxSeq) {
        shownSeq = seq
        for delta in deltas { readSeqs[delta.id] = delta.readSeq }
    }

    func refuse(code: String, detail: String) {
        world.violated("a client that names no seq beyond the head is not refused", detail)
    }

    func close(_ reason: LinkClose) { end(reason == .goingAway ? .drained : .gone) }

    private func write(_ entries: [MailboxEntry]) {
        for invariant in world.invariants { invariant.wrote(entries, to: client, after: lastWritten) }
        lastWritten = entries.last?.seq ?? lastWritten
        guard !isStuck, !hasEnded, !entries.isEmpty else { return }
        client.wrote(entries, on: self)
        handle?.pushed(through: lastWritten)
    }
}
