import Domain
import Engine

/// A device as its app is: connects, takes what comes, applies now and then; at times its socket takes bytes
/// and nobody reads them.
///
/// `@unchecked Sendable`: a world never leaves the thread of its test.
final class SimulatedClient: DeviceLink, @unchecked Sendable {
    let world: World
    let user: UserName
    let device: DeviceID
    private(set) var appliedSeq: MailboxSeq = 0
    private var handle: LinkHandle?
    /// Which connection of this device the callbacks belong to.
    private var lastWritten: MailboxSeq = 0
    private var isCatchingUp = false
    private var shownSeq: MailboxSeq = 0
    private var credentialIssuedAt: Int64 = 0
    /// Up to when its credentials were revoked, as the backend was told.
    private var revokedThrough: Int64 = -1
    /// When the bytes of an entry were first taken, on a connection that has not ended since.
    private(set) var writtenAt: [MailboxSeq: Int64] = [:]
    /// Since when the server knows its connection: a connect may wait for the batches before it.
    private(set) var welcomedAt: Int64?
    /// When it was connected, for the deadlines of PD-1.
    private(set) var intervals: [(from: Int64, to: Int64)] = []
    private(set) var firstWrites: [MailboxSeq: Int64] = [:]
    /// The socket takes no bytes: nothing is PUSHED.
    var isStuck = false

    init(_ world: World, _ user: UserName, _ device: DeviceID) {
        self.world = world
        self.user = user
        self.device = device
    }

    var isConnected: Bool { handle != nil }

    func connect() {
        guard handle == nil else { return }
        isStuck = world.clockwork.generator.chance(20)
        shownSeq = 0
        // An app that was logged out may come back with what it has, or with what a new login gave it.
        if world.clockwork.generator.chance(70) { credentialIssuedAt = world.clockwork.now }
        intervals.append((world.clockwork.now, .max))
        let caller = DeviceCaller(
            device: device,
            credentialIssuedAt: WallTime(milliseconds: world.clockwork.wallOffset + credentialIssuedAt))
        handle = world.engine.connect(user, as: caller, resume: .after(appliedSeq, of: nil), sink: self)
    }

    func logOut() {
        let called = world.clockwork.now
        world.engine.logOut(user, device) { [self] result in
            if case .success = result { revokedThrough = called }
        }
    }

    func disconnect() {
        handle?.closed(.gone)
        forgetConnection()
    }

    /// The server process died under it.
    func forgetConnection() {
        if handle != nil { intervals[intervals.count - 1].to = world.clockwork.now }
        handle = nil
        welcomedAt = nil
        writtenAt = [:]
    }

    func apply() {
        guard let handle, lastWritten > appliedSeq else { return }
        appliedSeq = lastWritten
        handle.applied(lastWritten)
    }

    func read() {
        guard let handle, let log = world.database.keys[user].flatMap({ world.database.entries[$0] }) else {
            return
        }
        for entry in log.reversed() where entry.seq <= lastWritten {
            guard case .message(let message, _, _) = entry.change else { continue }
            return handle.read(message.conversation.id, through: entry.seq)
        }
    }

    /// When PD-1 says that the push for an entry falls due, had nothing been applied. Nil where
    /// the message and a connect or close met within one batch: either order is right.
    func deadline(of seq: MailboxSeq, materialisedAt: Int64) -> Int64? {
        let isClose = intervals.contains {
            abs($0.from - materialisedAt) < 50 || ($0.to != .max && abs($0.to - materialisedAt) < 50)
        }
        if isClose { return nil }
        guard let online = intervals.first(where: { $0.from <= materialisedAt && materialisedAt < $0.to })
        else {
            return materialisedAt
        }
        let grace = min(materialisedAt + 3_000, online.to)
        guard let written = firstWrites[seq], written <= grace else { return grace }
        return min(written + 18_000, online.to)
    }

    // MARK: - DeviceLink

    func welcome(_ welcome: Welcome) {
        world.check(credentialIssuedAt > revokedThrough, "\(device) comes in with a revoked credential")
        welcomedAt = world.clockwork.now
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
        guard let key = world.database.keys[user] else { return world.check(false, "a state of nobody") }
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

    func refuse(code: String, detail: String) { world.check(false, "refused: \(detail)") }

    func close(_ reason: LinkClose) {
        // The real session reports its end, whoever caused it.
        handle?.closed(.gone)
        forgetConnection()
    }

    private func write(_ entries: [MailboxEntry]) {
        for entry in entries {
            world.check(entry.seq == lastWritten + 1, "\(device): \(entry.seq) follows \(lastWritten)")
            lastWritten = entry.seq
        }
        guard !isStuck, !entries.isEmpty, let handle else { return }
        for entry in entries where writtenAt[entry.seq] == nil {
            writtenAt[entry.seq] = world.clockwork.now
            if firstWrites[entry.seq] == nil { firstWrites[entry.seq] = world.clockwork.now }
        }
        handle.pushed(through: lastWritten)
    }
}
