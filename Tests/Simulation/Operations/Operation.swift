import Domain

/// Something that can happen to a world; how often, of a thousand steps.
struct Operation: Sendable {
    let weight: Int
    let run: @Sendable (World) -> Void

    private init(_ weight: Int, _ run: @escaping @Sendable (World) -> Void) {
        self.weight = weight
        self.run = run
    }

    private static let all = [
        Operation(240) { $0.sendMessage() },
        Operation(40) { $0.repeatMessage() },
        Operation(15) { $0.contradictMessage() },
        Operation(40) { $0.recallMessage() },
        Operation(130) { $0.connectOrApply() },
        Operation(80) { $0.connect() },
        Operation(80) { $0.disconnect() },
        Operation(20) { $0.goDeaf() },
        Operation(120) { $0.apply() },
        Operation(20) { $0.goAway() },
        Operation(20) { $0.comeBack() },
        Operation(25) { $0.applyWithoutConnection() },
        Operation(50) { $0.readOnDevice() },
        Operation(40) { $0.readByBackend() },
        Operation(10) { $0.readAll() },
        Operation(10) { $0.leaveConversation() },
        Operation(40) { $0.registerAgain() },
        Operation(15) { $0.logOut() },
        Operation(10) { $0.signOut() },
        Operation(10) { $0.moveToken() },
        Operation(50) { $0.mute() },
        Operation(20) { $0.setQuietHours() },
        Operation(40) { $0.call() },
        Operation(15) { $0.repeatCall() },
        Operation(20) { $0.cancelCall() },
        Operation(10) { $0.changePolicy() },
        Operation(20) { $0.look() },
        Operation(10) { $0.toggleDatabase() },
        Operation(20) { $0.mayCrash() },
        Operation(10) { $0.planStop() },
        Operation(10) { $0.takeTokens() },
        Operation(10) { $0.jumpWallClock() },
        Operation(10) { $0.haltChannel() },
    ]

    private static let total = all.reduce(0) { $0 + $1.weight }

    static func pick(_ dice: inout SeededGenerator) -> Operation {
        var at = dice.below(total)
        for operation in all {
            at -= operation.weight
            if at < 0 { return operation }
        }
        return all[0]
    }
}
