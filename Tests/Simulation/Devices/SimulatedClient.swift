import Domain

@testable import Engine

/// A device as its app is: connects, takes what comes, applies now and then; at times its socket takes bytes
/// and nobody reads them, and at times it comes back while the server still believes in its former
/// connection.
///
/// `@unchecked Sendable`: a world never leaves the thread of its test.
final class SimulatedClient: @unchecked Sendable {
    unowned let world: World
    let user: UserName
    let device: DeviceID
    let screen = Screen()
    /// What the app has truly applied.
    private(set) var appliedSeq: MailboxSeq = 0
    /// The tokens it last registered, as far as it knows.
    private(set) var registered: [UnkeyedToken] = []
    private(set) var presence = PresenceLog()
    private(set) var link: SimulatedLink?
    var ringing = Ringing()
    private var credentialIssuedAt: WallTime
    /// Up to when its credentials were revoked, as the backend was told.
    private(set) var revokedThrough: WallTime?

    init(_ world: World, _ user: UserName, _ device: DeviceID) {
        self.world = world
        self.user = user
        self.device = device
        credentialIssuedAt = world.clockwork.wall
        screen.ledger = { [unowned world] in world.database.keys[user].flatMap { world.database.ledgers[$0] }
        }
    }

    var name: String { "\(user.user)'s \(device)" }

    var isConnected: Bool { link != nil }

    /// Whether something tells it what happens elsewhere, now that nothing fails: a connection, or pushes
    /// that need show nothing.
    var canBeTold: Bool {
        if let link { return !link.isStuck && presence.welcomedAt != nil }
        guard let user = world.database.keys[user] else { return false }
        let row = world.database.devices.values.first { $0.row.user == user && $0.row.device == device }
        let transports = Set(row?.tokens.values.map(\.digest.transport) ?? [])
        return transports.contains(.apns) || transports.contains(.fcm)
    }

    var caller: DeviceCaller {
        DeviceCaller(device: device, credentialIssuedAt: credentialIssuedAt)
    }

    func note(_ text: @autoclosure () -> String) {
        world.journal.note(world.clockwork.now, "\(name) \(text())")
    }

    // MARK: - Connections

    func connect() {
        comeBack()
        if let former = link {
            guard world.dice.chance(30) else { return }
            presence.reconnected(at: world.clockwork.now)
            leave(former)
        } else {
            presence.began(at: world.clockwork.now)
        }
        // An app that was logged out may come back with what it has, or with what a new login gave it.
        if world.dice.chance(70) { credentialIssuedAt = world.clockwork.wall }
        let link = SimulatedLink(self, isStuck: world.dice.chance(20))
        note("connects\(link.isStuck ? ", and its socket takes nothing" : "")")
        self.link = link
        link.handle = world.engine.connect(user, as: caller, resume: .after(appliedSeq, of: nil), sink: link)
    }

    /// The network changed under the app: the server's end of the former connection lives on for a while, and
    /// hears nothing more.
    private func leave(_ former: SimulatedLink) {
        former.goDeaf()
        let wait = world.dice.chance(50) ? world.dice.upTo(40) : Self.socketTimeOut
        world.clockwork.schedule(after: wait, epoch: world.clockwork.epoch) { former.end() }
    }

    /// `TCP_USER_TIMEOUT`.
    private static let socketTimeOut: Int64 = 15_000

    func disconnect() { link?.end() }

    /// Its network dies, and the server is not told.
    func goDeaf() {
        guard let link, !link.isStuck else { return }
        note("is heard no more")
        link.goDeaf()
    }

    func has(_ link: SimulatedLink) -> Bool { link === self.link }

    /// The device has no network for a while.
    func goAway() {
        note("goes away")
        screen.goAway()
        link?.end()
    }

    func comeBack() {
        guard screen.isAway else { return }
        note("comes back")
        screen.comeBack()
    }

    /// A socket that takes nothing dies in the end.
    func timeOut() { if let link, link.isStuck { link.end() } }

    /// The server stops as planned: it tells the device to go.
    func drained() { link?.end(.drained) }

    /// Its connection ended, or the server process died under it.
    func forgetConnection(isDrained: Bool = false) {
        if link != nil {
            presence.ended(at: world.clockwork.now, isDrained: isDrained)
        }
        link = nil
    }

    // MARK: - What its user does

    func apply() {
        guard let link, !link.isStuck, link.lastWritten > appliedSeq else { return }
        appliedSeq = link.lastWritten
        note("applies \(appliedSeq)")
        link.handle?.applied(appliedSeq)
    }

    /// As a notification extension does: pulls a page over HTTP, and applies it.
    func pullAndApply() {
        let after = appliedSeq
        world.engine.mailbox(user, after: after, limit: 20, as: caller) { [self] result in
            guard case .success(let page) = result, let last = page.entries.last?.seq else { return }
            for invariant in world.invariants { invariant.told(user, page.badge) }
            guard last > appliedSeq else { return }
            appliedSeq = last
            note("pulls, and applies \(last)")
            world.engine.applied(user, last, as: caller) { _ in }
        }
    }

    /// Reads the newest message that it has.
    func read() {
        guard let link, !link.isStuck,
            let log = world.database.keys[user].flatMap({ world.database.entries[$0] })
        else {
            return
        }
        for entry in log.reversed() where entry.seq <= link.lastWritten {
            guard case .message(let message, _, _) = entry.change else { continue }
            note("reads \(message.conversation.id) to \(entry.seq)")
            readHere(message.conversation.id, through: entry.seq)
            link.handle?.read(message.conversation.id, through: entry.seq)
            return
        }
    }

    /// The device read by itself, and needs nobody to tell it.
    func readHere(_ conversation: ConversationID, through seq: MailboxSeq) {
        screen.dismiss(conversation, through: seq)
    }

    func register(_ tokens: [UnkeyedToken], timeZone: String? = nil) {
        registered = tokens
        world.engine.shard(of: user).submit([
            .register(user, device, Registration(tokens: tokens, timeZone: timeZone)) { _ in }
        ])
    }

    func logOut() {
        let called = world.clockwork.wall
        note("is logged out by the backend")
        registered = []
        screen.excuse(.signOutUnknown)
        world.engine.logOut(user, device) { [self] result in
            guard case .success = result else { return }
            revokedThrough = called
            screen.forget(at: world.clockwork.now)
        }
    }

    func signOut() {
        note("signs out")
        registered = []
        screen.excuse(.signOutUnknown)
        world.engine.signOut(user, as: caller) { [self] result in
            if case .success = result { screen.forget(at: world.clockwork.now) }
        }
    }

    // MARK: - What its connections tell

    func welcomed(_ welcome: Welcome, on link: SimulatedLink) {
        let isRevoked = revokedThrough.map { credentialIssuedAt <= $0 } ?? false
        for invariant in world.invariants { invariant.welcomed(self, welcome, isRevoked: isRevoked) }
        guard link === self.link else { return }
        presence.welcomed(at: world.clockwork.now)
        guard !link.isStuck else { return }
        screen.sync(welcome.badge)
        sync(through: appliedSeq)
        askOfCalls(on: link)
    }

    /// The app tidies up its screen by what it knows.
    private func sync(through seq: MailboxSeq) {
        guard let ledger = world.database.keys[user].flatMap({ world.database.ledgers[$0] }) else { return }
        screen.sync(ledger, through: seq)
    }

    func wrote(_ entries: [MailboxEntry], on link: SimulatedLink) {
        guard link === self.link else { return }
        for entry in entries { presence.wrote(entry.seq, at: world.clockwork.now) }
        sync(through: link.lastWritten)
    }

    func ended(_ link: SimulatedLink, _ cause: CloseCause) {
        guard link === self.link else { return }
        note("loses its connection\(cause == .drained ? ", as planned" : "")")
        forgetConnection(isDrained: cause == .drained)
    }
}
