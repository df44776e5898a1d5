import Domain
import Testing

/// A rule that is switched off must be missed: what the harness's counter-proofs rest on.
@Suite struct RulesTests {
    private func stage(without rule: Rules) -> Stage { Stage { $0.disabledRules = rule } }

    @Test func `without each device deciding, an online device costs the other its push`() {
        var stage = stage(without: .eachDeviceDecides)
        stage.register(.phone)
        stage.register(.tablet)
        #expect(stage.message().tasksMade == 2)
        stage.connect(.phone, 1)
        #expect(stage.message().tasksMade == 1)
    }

    @Test func `without its rule, PUSHED deletes the task of a zombie`() {
        var stage = stage(without: .pushedIsNoProof)
        stage.register(.phone)
        stage.connect(.phone, 1)
        stage.message()
        #expect(stage.user.pushed(ConnectionID(1), through: 1, at: stage.moment).ends == [.cancelled])
        #expect(stage.pass(60_000).queued == 0)
    }

    @Test func `without its rule, a dead token stays and is pushed to again`() {
        var stage = stage(without: .deadTokensGo)
        stage.register(.phone)
        stage.message()
        let request = stage.build(.phone).request
        stage.answer(.phone, request, .tokenDead(since: nil))
        #expect(stage.user.device(.phone)?.isWakeable == true)
        #expect(stage.message().tasksMade == 1)
    }

    @Test func `without its rule, the holds of a closed connection never fall due`() {
        var stage = stage(without: .closeReleasesHolds)
        stage.register(.phone)
        stage.connect(.phone, 1)
        stage.message()
        #expect(stage.user.closed(ConnectionID(1), .gone, at: stage.moment).queued == 0)
        stage.pass(60_000)
        #expect(stage.build(.phone).draft?.kind == .badge)
        #expect(stage.user.device(.phone)?.hasOpenTasks == false)
    }

    @Test func `every rule has one name`() {
        #expect(Set(Rules.named.map(\.name)).count == Rules.named.count)
        #expect(Rules.named.reduce(into: Rules()) { $0.insert($1.rule) }.names == Rules.named.map(\.name))
    }
}
