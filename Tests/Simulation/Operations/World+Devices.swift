import Domain

@testable import Engine

/// Devices come, go, apply and register.
extension World {
    private func anyone() -> SimulatedClient { dice.pick(clients) }

    func connectOrApply() {
        let client = anyone()
        client.isConnected ? client.apply() : client.connect()
    }

    func connect() { anyone().connect() }

    func disconnect() { anyone().disconnect() }

    func goDeaf() { anyone().goDeaf() }

    func goAway() { anyone().goAway() }

    func comeBack() { anyone().comeBack() }

    func apply() { anyone().apply() }

    /// As a notification extension does: the same evidence over HTTP.
    func applyWithoutConnection() { anyone().pullAndApply() }

    func registerAgain() { register(anyone()) }

    func logOut() { anyone().logOut() }

    func signOut() { anyone().signOut() }

    func register(_ client: SimulatedClient) {
        var tokens: [UnkeyedToken] = []
        if dice.chance(90) { tokens.append(token(dice.pick([.apns, .apns, .fcm, .webPush]))) }
        if dice.chance(20) { tokens.append(token(.fcm)) }
        if dice.chance(25) { tokens.append(token(.apnsVoIP)) }
        var transports: Set<Transport> = []
        tokens = tokens.filter { transports.insert($0.transport).inserted }
        journal.note(clockwork.now, "\(client.name) registers \(tokens.map(\.transport.word))")
        client.register(tokens, timeZone: dice.chance(40) ? dice.pick(FixedZones.names) : nil)
    }

    private func token(_ transport: Transport) -> UnkeyedToken {
        UnkeyedToken(
            transport: transport, environment: .production, sealed: [1], keyID: "k",
            lookup: Array(String(dice.next()).utf8), topic: "t")
    }

    /// Another installation registers the tokens of this one, which loses them.
    func moveToken() {
        let (former, next) = (anyone(), anyone())
        guard former !== next, !former.registered.isEmpty else { return }
        let tokens = former.registered
        journal.note(clockwork.now, "the tokens of \(former.name) move to \(next.name)")
        former.register([])
        let shard = engine.shard(of: former.user)
        shard.submit([
            .loseTokens(former.user, former.device, lookups: Set(tokens.map(\.lookup))) { result in
                if case .success = result { next.register(tokens) }
            }
        ])
    }
}
