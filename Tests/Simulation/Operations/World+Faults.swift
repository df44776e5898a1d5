import Domain

@testable import Engine

/// What goes wrong, where the setting lets it.
extension World {
    func toggleDatabase() {
        guard faults.databaseFails > 0 else { return }
        isDatabaseAway.toggle()
        databaseAwayAt = clockwork.now
        journal.note(clockwork.now, "the database \(isDatabaseAway ? "goes away" : "is back")")
    }

    func mayCrash() { if dice.chance(faults.crashes) { crash() } }

    func planStop() {
        journal.note(clockwork.now, "the server is stopped as planned")
        deploy()
    }

    /// Another process takes a device's tokens away.
    func takeTokens() {
        guard dice.chance(faults.tokensTaken) else { return }
        let client = dice.pick(clients)
        guard let user = database.keys[client.user], let shard = shard(of: user),
            let device = database.devices.values.first(where: {
                $0.row.user == user && $0.row.device == client.device
            })
        else { return }
        journal.note(clockwork.now, "another process takes the tokens of \(client.name)")
        database.takeTokens(of: device.row.key, shard: shard)
    }

    func jumpWallClock() {
        guard dice.chance(faults.wallJumps) else { return }
        let jump: Int64 = dice.pick([-3_600_000, -1_500, 1_500, 45_000, 7_200_000])
        journal.note(clockwork.now, "the wall clock jumps by \(jump) ms")
        clockwork.jumpWall(by: jump)
    }

    /// A provider's channel takes nothing for a while.
    func haltChannel() {
        guard faults.channelFaults > 0 else { return }
        let channel = ChannelID(
            tenant: Self.tenant, transport: dice.pick([.apns, .fcm, .apnsVoIP]), environment: .production)
        let epoch = clockwork.epoch
        haltedChannels = true
        journal.note(clockwork.now, "the channel \(channel.transport.word) halts")
        engine.windowChanged(channel, perShard: 0, reason: "halted")
        clockwork.schedule(after: dice.pick([500, 20_000, 90_000]), epoch: epoch) {
            self.journal.note(self.clockwork.now, "the channel \(channel.transport.word) goes on")
            self.engine.windowChanged(channel, perShard: 16, reason: "")
        }
    }

    /// Whether the database fails just now.
    func databaseFails() -> Bool { isDatabaseAway || clockwork.generator.chance(faults.databaseFails) }

    /// What a provider says to a push.
    func verdict(for request: PushRequest) -> PushVerdict {
        if clockwork.generator.chance(faults.channelFaults) { return .channelFault }
        if clockwork.generator.chance(faults.tokensDie) {
            // At times the provider speaks of a registration before this one.
            let isOlder = clockwork.generator.chance(20)
            return .tokenDead(since: isOlder ? request.draft.token.registeredAt + -1_000 : nil)
        }
        if clockwork.generator.chance(faults.providerRefuses) {
            return clockwork.generator.pick([
                .retry(afterMilliseconds: nil), .retry(afterMilliseconds: 2_500), .rejected,
            ])
        }
        return .accepted
    }
}
