import Testing

@testable import Domain

@Suite struct WakeTests {
    private func stage(budget: Int = 3, mergeWindow: Int64 = 0) -> Stage {
        var stage = Stage(mergeWindow: mergeWindow) {
            $0.wakeBudgetPerHour = budget
            $0.pushRatePerConversationPerMinute = 100
            $0.pushRatePerUserPerMinute = 100
        }
        stage.register(.phone)
        return stage
    }

    private func kinds(_ stage: inout Stage, _ count: Int, answer: PushVerdict = .accepted)
        -> [PushKind?]
    {
        (0..<count).map { _ in
            stage.message(wantsWake: true)
            let built = stage.build(.phone)
            stage.answer(.phone, built.request, answer)
            return built.draft?.kind
        }
    }

    @Test func `a browser is woken by alerts alone`() {
        var stage = stage()
        stage.register(.phone, [.webPush])
        #expect(kinds(&stage, 1) == [.alert])
        // Also where a wake was decided upon before.
        stage.register(.phone, [.apns])
        #expect(kinds(&stage, 1, answer: .channelFault) == [.wake])
        stage.register(.phone, [.webPush])
        #expect(stage.build(.phone).draft?.kind == .alert)
    }

    @Test func `a device is woken silently as often as its budget allows, then by alerts`() {
        var stage = stage()
        #expect(kinds(&stage, 5) == [.wake, .wake, .wake, .alert, .alert])
        stage.now += 3_600_000
        #expect(kinds(&stage, 1) == [.wake])
    }

    @Test func `Web Push shows what it cannot do silently`() {
        var stage = stage()
        stage.register(.tablet, [.webPush])
        stage.message(wantsWake: true)
        #expect(stage.build(.tablet).draft?.kind == .alert)
        #expect(stage.build(.phone).draft?.kind == .wake)
    }

    @Test func `each device has a budget of its own`() {
        var stage = stage(budget: 1)
        stage.register(.tablet)
        #expect(kinds(&stage, 2) == [.wake, .alert])
        #expect(stage.build(.tablet).draft?.kind == .wake)
    }

    @Test func `a group is a silent wake only if each of its messages is`() {
        for others in [true, false] {
            var stage = stage(mergeWindow: 5_000)
            stage.message(wantsWake: true)
            stage.message(wantsWake: others)
            stage.pass(5_000)
            #expect(stage.build(.phone).draft?.kind == (others ? .wake : .alert))
        }
    }

    @Test func `a retry is the same push, and spends nothing`() {
        var stage = stage(budget: 1)
        stage.message(wantsWake: true)
        for _ in 0..<3 {
            let built = stage.build(.phone)
            #expect(built.draft?.kind == .wake)
            stage.answer(.phone, built.request, .retry(afterMilliseconds: 1_000))
            stage.pass(3_000)
        }
        stage.message(in: "c-2", wantsWake: true)
        #expect(stage.build(.phone).draft?.kind == .wake)
        #expect(stage.user.device(.phone)?.groups.count == 2)
    }

    @Test func `a silent wake leaves no banner and no badge behind`() {
        var stage = stage()
        _ = kinds(&stage, 1)
        #expect(stage.user.device(.phone)?.record.isEmpty == true)
        _ = stage.user.read(ConversationID("c-1"), through: 1, by: nil, at: stage.moment)
        #expect(stage.build(.phone).draft == nil)
    }

    @Test func `the record says how the budget stood`() {
        var stage = stage(budget: 0)
        stage.message(wantsWake: true)
        _ = stage.build(.phone)
        let steps = stage.user.device(.phone)?.groups.first?.tasks.first?.trace.map(\.event) ?? []
        #expect(steps.contains(.wakeBudget(used: 0, budget: 0, isWake: false)))
    }
}
