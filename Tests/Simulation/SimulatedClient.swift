import Domain
import Engine

/// A device as its app is: connects, takes what comes, applies now and then; at times its socket takes bytes
/// and nobody reads them, and at times it comes back while the server still believes in its former
/// connection.
///
/// `@unchecked Sendable`: a world never leaves the thread of its test.
final class SimulatedClient: @unchecked Sendable {
    let world: World
    let user: UserName
    let device: DeviceID
    private(set) var appliedSeq: MailboxSeq = 0
    private var link: SimulatedLink?
    private var credentialIssuedAt: Int64 = 0
    /// Up to when its credentials were revoked, as the backend was told.
    private var revokedThrough: Int64 = -1
    /// When the bytes of an entry were first taken, since the device has a connection.
    private(set) var writtenAt: [MailboxSeq: Int64] = [:]
    /// Since when the server knows a connection of it: a connect may wait for the batches before it.
    private(set) var welcomedAt: Int64?
    /// When it was connected, for the deadlines of PD-1.
    private var intervals: [Interval] = []
    private(set) var firstWrites: [MailboxSeq: Int64] = [:]
    private var reconnects: [Int64] = []

    private struct Interval {
        let from: Int64
        var to: Int64 = .max
        /// Ended by a planned stop of the server, which is no close: holds keep their deadlines.
        var isDrained = false
    }

    init(_ world: World, _ user: UserName, _ device: DeviceID) {
        self.world = world
        self.user = user
        self.device = device
    }

    var isConnected: Bool { link != nil }

    func connect() {
        if let former = link {
            guard world.clockwork.generator.chance(30) else { return }
            reconnects.append(world.clockwork.now)
            leave(former)
        } else {
            intervals.append(Interval(from: world.clockwork.now))
        }
        // An app that was logged out may come back with what it has, or with what a new login gave it.
        if world.clockwork.generator.chance(70) { credentialIssuedAt = world.clockwork.now }
        let caller = DeviceCaller(
            device: device,
            credentialIssuedAt: WallTime(milliseconds: world.clockwork.wallOffset + credentialIssuedAt))
        let link = SimulatedLink(self, isStuck: world.clockwork.generator.chance(20))
        self.link = link
        link.handle = world.engine.connect(user, as: caller, resume: .after(appliedSeq, of: nil), sink: link)
    }

    /// The network changed under the app: the server's end of the former connection may live on for a while.
    private func leave(_ former: SimulatedLink) {
        guard world.clockwork.generator.chance(50) else { return }
        let wait = Int64.random(in: 0...40, using: &world.clockwork.generator)
        world.clockwork.schedule(after: wait, epoch: world.clockwork.epoch) { former.end() }
    }

    func logOut() {
        let called = world.clockwork.now
        world.engine.logOut(user, device) { [self] result in
            if case .success = result { revokedThrough = called }
        }
    }

    func disconnect() { link?.end() }

    /// The server stops as planned: it tells the device to go.
    func drained() { link?.end(.drained) }

    /// Its connection ended, or the server process died under it.
    func forgetConnection(isDrained: Bool = false) {
        if link != nil {
            intervals[intervals.count - 1].to = world.clockwork.now
            intervals[intervals.count - 1].isDrained = isDrained
        }
        link = nil
        welcomedAt = nil
        writtenAt = [:]
    }

    func apply() {
        guard let link, link.lastWritten > appliedSeq else { return }
        appliedSeq = link.lastWritten
        link.handle?.applied(appliedSeq)
    }

    func read() {
        guard let link, let log = world.database.keys[user].flatMap({ world.database.entries[$0] }) else {
            return
        }
        for entry in log.reversed() where entry.seq <= link.lastWritten {
            guard case .message(let message, _, _) = entry.change else { continue }
            link.handle?.read(message.conversation.id, through: entry.seq)
            return
        }
    }

    /// When PD-1 says that the push for an entry falls due, had nothing been applied. Nil where
    /// the message and a connect or close met within one batch: either order is right.
    func deadline(of seq: MailboxSeq, materialisedAt: Int64) -> Int64? {
        let isClose = intervals.contains {
            abs($0.from - materialisedAt) < 50 || ($0.to != .max && abs($0.to - materialisedAt) < 50)
        }
        if isClose { return nil }
        // Whether the server heard of a write on a connection that was just being replaced is open.
        if let written = firstWrites[seq], reconnects.contains(where: { abs($0 - written) < 50 }) {
            return nil
        }
        let online = intervals.firstIndex { $0.from <= materialisedAt && materialisedAt < $0.to }
        guard let online else { return materialisedAt }
        // A crash is a close also for what a drain had left held.
        let crash = world.crashedAt.first { $0 > materialisedAt } ?? .max
        let close = min(crash, intervals[online...].first { !$0.isDrained }?.to ?? .max)
        let grace = min(materialisedAt + 3_000, close)
        guard let written = firstWrites[seq], written <= grace else { return grace }
        return min(written + 18_000, close)
    }

    // MARK: - What its connections tell

    func welcomed() {
        world.check(credentialIssuedAt > revokedThrough, "\(device) comes in with a revoked credential")
        if welcomedAt == nil { welcomedAt = world.clockwork.now }
    }

    func wrote(_ entries: [MailboxEntry], on link: SimulatedLink) {
        guard link === self.link else { return }
        for entry in entries where writtenAt[entry.seq] == nil {
            writtenAt[entry.seq] = world.clockwork.now
            if firstWrites[entry.seq] == nil { firstWrites[entry.seq] = world.clockwork.now }
        }
    }

    func ended(_ link: SimulatedLink, _ cause: CloseCause) {
        if link === self.link { forgetConnection(isDrained: cause == .drained) }
    }
}
