import Testing

@testable import Domain

@Suite struct LimitTests {
    private func stage(
        perUser: Int = 10, perConversation: Int = 100, reserve: Int = 0, mergeWindow: Int64 = 0
    )
        -> Stage
    {
        var stage = Stage(mergeWindow: mergeWindow) {
            $0.pushRatePerUserPerMinute = perUser
            $0.pushRatePerConversationPerMinute = perConversation
            $0.mentionReserve = reserve
        }
        stage.register(.phone)
        return stage
    }

    /// Sends all that is due to a device; answers with the drafts and how the other tasks ended.
    private func drain(_ stage: inout Stage, _ device: DeviceID = .phone) -> (
        sent: [PushDraft], dropped: Int
    ) {
        var sent: [PushDraft] = []
        var dropped = 0
        while true {
            let built = stage.build(device)
            dropped += built.actions.reasons.count { $0 == .rateLimited }
            guard let draft = built.draft else { return (sent, dropped) }
            sent.append(draft)
            stage.answer(device, built.request, .accepted)
        }
    }

    @Test func `a thousand tasks into a limit of ten: ten go, mentions first, and nothing is kept`() {
        var stage = stage()
        for number in 0..<1_000 {
            stage.message(
                in: "c-\(number % 50)", kind: .group, mention: number % 200 == 199 ? .user : .none)
        }
        let (sent, dropped) = drain(&stage)
        #expect(sent.count == 10 && dropped == 990)
        #expect(sent.prefix(5).allSatisfy { $0.alert?.mention == .user })
        #expect(stage.user.device(.phone)?.hasOpenTasks == false)
        #expect(stage.user.rateWindow.units.count == 10)
    }

    @Test func `a unit counts for a minute, without its end`() {
        var stage = stage(perUser: 1)
        stage.message()
        #expect(drain(&stage).sent.count == 1)
        stage.now += 59_999
        stage.message()
        #expect(drain(&stage) == ([], 1))
        stage.now += 1
        stage.message()
        #expect(drain(&stage).sent.count == 1)
        #expect(stage.user.rateWindow.units.count == 1)
    }

    @Test func `conversations have a limit of their own`() {
        var stage = stage(perConversation: 2)
        for conversation in ["c-1", "c-2"] {
            for _ in 0..<3 { stage.message(in: conversation) }
        }
        let (sent, dropped) = drain(&stage)
        #expect(sent.count == 4 && dropped == 2)
    }

    @Test func `in no minute are there more units than the limits allow`() {
        var stage = stage(perUser: 5, perConversation: 2)
        var generator = SeededGenerator(state: 7)
        var handedOver: [(at: Int64, conversation: ConversationID)] = []
        for _ in 0..<600 {
            stage.now += Int64.random(in: 0...9_000, using: &generator)
            stage.message(in: "c-\(Int.random(in: 0..<4, using: &generator))")
            for draft in drain(&stage).sent {
                guard let alert = draft.alert else { continue }
                handedOver.append((stage.now, alert.message.conversation.id))
            }
        }
        #expect(handedOver.count > 150)
        for (index, last) in handedOver.enumerated() {
            let minute = handedOver[...index].filter { last.at - $0.at < 60_000 }
            #expect(minute.count <= 5)
            #expect(minute.count { $0.conversation == last.conversation } <= 2)
        }
    }

    @Test func `a merged group is one unit`() {
        var stage = stage(perUser: 1, mergeWindow: 5_000)
        for _ in 0..<20 { stage.message() }
        stage.pass(5_000)
        let (sent, dropped) = drain(&stage)
        #expect(sent.map(\.alert?.count) == [20] && dropped == 0)
    }

    @Test func `copies on other devices inherit what was decided first`() {
        var stage = stage(perUser: 1)
        stage.register(.tablet)
        stage.message("m-1")
        #expect(drain(&stage).sent.count == 1)
        stage.now += 30_000
        let tablet = drain(&stage, .tablet)
        #expect(tablet.sent.map(\.alert?.oldestMessage.text) == ["m-1"])
        #expect(stage.user.rateWindow.units.count == 1)
        stage.now += 30_000
        stage.message("m-2")
        #expect(drain(&stage, .tablet).sent.count == 1)
    }

    @Test func `what is dropped ends on every device where it is due, at once`() throws {
        var stage = stage(perUser: 1)
        stage.register(.tablet)
        stage.message()
        stage.message()
        let first = stage.build(.phone)
        stage.answer(.phone, first.request, .accepted)
        let second = stage.build(.phone)
        #expect(second.draft == nil && second.actions.reasons == [.rateLimited, .rateLimited])
        let tablet = try #require(stage.user.device(.tablet))
        #expect(tablet.groups.flatMap(\.tasks).map(\.seq) == [1])
    }

    @Test func `a dropped message's held copy is saved by its evidence, or ends when it falls due`() {
        for isApplied in [true, false] {
            var stage = stage(perUser: 0)
            stage.register(.tablet)
            stage.connect(.tablet, 1)
            stage.message()
            #expect(drain(&stage).dropped == 1)
            if isApplied {
                let applied = stage.user.applied(.tablet, through: 1, at: stage.moment, keys: &stage.keys)
                #expect((try? applied.get())?.ends == [.applied])
            } else {
                let passed = stage.pass(3_000)
                #expect(passed.reasons == [.rateLimited] && passed.queued == 0)
            }
            #expect(stage.user.device(.tablet)?.hasOpenTasks == false)
        }
    }

    @Test func `a retry is no second unit`() {
        var stage = stage(perUser: 1)
        stage.message()
        for _ in 0..<3 {
            let built = stage.build(.phone)
            #expect(built.draft != nil)
            stage.answer(.phone, built.request, .retry(afterMilliseconds: 70_000))
            stage.pass(71_000)
        }
        #expect(stage.user.rateWindow.units.count == 1)
    }

    @Test func `what joins a group that was admitted shares its unit`() throws {
        var stage = stage(perUser: 1, mergeWindow: 5_000)
        stage.message()
        stage.pass(5_000)
        let first = stage.build(.phone)
        stage.answer(.phone, first.request, .channelFault)
        stage.message()
        let second = stage.build(.phone)
        #expect(second.draft?.alert?.count == 2)
        let tasks = try #require(stage.user.device(.phone)?.groups.first?.tasks)
        #expect(tasks.count == 2 && tasks[0].verdict == tasks[1].verdict)
        #expect(stage.user.rateWindow.units.count == 1)
    }

    @Test func `a mention that joins a push that was let in protects it from giving way`() {
        var stage = stage(perUser: 1, mergeWindow: 5_000)
        stage.message("plain")
        stage.pass(5_000)
        let first = stage.build(.phone)
        stage.answer(.phone, first.request, .channelFault)
        stage.message("mention", mention: .user)
        let second = stage.build(.phone)
        #expect(second.draft?.alert?.mention == .user)
        stage.answer(.phone, second.request, .channelFault)
        stage.register(.tablet)
        stage.message("other", in: "c-2", mention: .user)
        stage.pass(5_000)
        let tablet = stage.build(.tablet)
        #expect(tablet.draft == nil && tablet.actions.reasons == [.rateLimited, .rateLimited])
        #expect(stage.build(.phone).draft?.alert?.count == 2)
    }

    @Test func `what has left the window leaves the memory, too`() {
        var stage = stage(perUser: 1_000, perConversation: 1_000)
        for _ in 0..<1_000 {
            stage.now += 1_000
            stage.message()
            #expect(drain(&stage).sent.count == 1)
        }
        #expect(stage.user.rateWindow.units.count == 60)
        let standing = stage.user.rateWindow.standing(of: ConversationID("c-1"), stage.user.policy)
        #expect(standing.used == 60 && standing.conversationUsed == 60 && standing.usedByLower == 60)
        #expect(stage.user.rateWindow.keptCount < 200)
    }

    // MARK: - Order

    @Test func `a mention takes the place of the lowest unit that no provider has accepted`() {
        var stage = stage(perUser: 3)
        stage.message("direct", in: "c-1")
        stage.message("group", in: "c-2", kind: .group)
        stage.message("large", in: "c-3", kind: .group, members: 500)
        for _ in 0..<3 {
            let built = stage.build(.phone)
            stage.answer(.phone, built.request, .retry(afterMilliseconds: 10_000))
        }
        stage.message("mention", in: "c-4", kind: .group, mention: .user)
        let built = stage.build(.phone)
        #expect(built.draft?.alert?.oldestMessage == MessageID("mention"))
        #expect(built.actions.reasons == [.rateLimited])
        stage.answer(.phone, built.request, .accepted)
        stage.pass(11_000)
        let rest = drain(&stage)
        #expect(rest.sent.map(\.alert?.oldestMessage.text) == ["direct", "group"] && rest.dropped == 0)
        #expect(stage.user.rateWindow.units.count == 3)
    }

    @Test
    func `a mention takes no place of its own kind, of what was accepted, or of what is in flight`() {
        for verdict in [PushVerdict.accepted, .retry(afterMilliseconds: 10_000), nil] {
            var stage = stage(perUser: 1)
            stage.register(.tablet)
            stage.message(mention: verdict == .retry(afterMilliseconds: 10_000) ? .user : .none)
            let built = stage.build(.phone)
            if let verdict { stage.answer(.phone, built.request, verdict) }
            stage.message("late", in: "c-2", mention: .user)
            let tablet = stage.build(.tablet)
            #expect(tablet.draft?.alert?.oldestMessage != MessageID("late"))
            #expect(stage.user.rateWindow.units.count == 1)
        }
    }

    @Test func `over the conversation's limit a mention takes a place in its conversation`() {
        var stage = stage(perConversation: 1)
        stage.message("far", in: "c-2", kind: .group, members: 500)
        stage.message("near", in: "c-1", kind: .group)
        for _ in 0..<2 {
            let built = stage.build(.phone)
            stage.answer(.phone, built.request, .retry(afterMilliseconds: 10_000))
        }
        stage.message("mention", in: "c-1", kind: .group, mention: .all)
        #expect(stage.build(.phone).draft?.alert?.oldestMessage == MessageID("mention"))
        let open = stage.user.device(.phone)?.groups.flatMap(\.tasks).map(\.message.id.text) ?? []
        #expect(Set(open) == ["far", "mention"])
    }

    @Test func `units kept for mentions are taken by mentions only`() {
        var stage = stage(perUser: 3, reserve: 2)
        for number in 0..<3 { stage.message(in: "c-\(number)") }
        #expect(drain(&stage).sent.count == 1)
        for number in 0..<3 { stage.message(in: "c-\(number)", mention: .user) }
        let mentions = drain(&stage)
        #expect(mentions.sent.count == 2 && mentions.dropped == 1)
    }

    @Test func `the record says which limit it was, and how it stood`() {
        var stage = stage(perUser: 5, perConversation: 1)
        stage.message()
        stage.message()
        _ = stage.answer(.phone, stage.build(.phone).request, .accepted)
        var found: [TraceStep.Event] = []
        for case .endTask(_, _, _, .rateLimited, let trace) in stage.build(.phone).actions {
            found += trace.map(\.event).filter { if case .limits = $0 { true } else { false } }
        }
        let standing = RateStanding(
            used: 1, usedByLower: 1, limit: 5, reserve: 0, conversationUsed: 1, conversationLimit: 1)
        #expect(found == [.limits(standing, over: .conversation)])
    }

    @Test func `without its rule, what is over the limit is sent all the same`() {
        var stage = Stage {
            $0.pushRatePerUserPerMinute = 1
            $0.disabledRules = .limitsDrop
        }
        stage.register(.phone)
        for number in 0..<3 { stage.message(in: "c-\(number)") }
        #expect(drain(&stage).sent.count == 3)
    }

    @Test func `a limit that is changed while running is in force for the next push`() {
        var stage = stage(perUser: 1)
        for number in 0..<3 { stage.message(in: "c-\(number)") }
        _ = stage.answer(.phone, stage.build(.phone).request, .accepted)
        var policy = stage.user.policy
        policy.pushRatePerUserPerMinute = 2
        _ = stage.user.policyChanged(SharedPolicy(policy), zone: .utc, at: stage.moment)
        let (sent, dropped) = drain(&stage)
        #expect(sent.count == 1 && dropped == 1)
    }
}

/// SplitMix64: the same numbers from the same seed, on every machine.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
