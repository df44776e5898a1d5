import Domain
import Testing

/// BC-1: in quiet, every device that was ever given a badge has been given `total_unread`.
@Suite struct BadgeConvergenceTests {
    private func muted(_ stage: inout Stage) {
        _ = stage.user.configure(ConversationID("c-1"), isMuted: true, until: nil, at: stage.moment)
    }

    @Test func `a number that moves without a push is given by a badge-only push once it has settled`() {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        stage.accept(.phone)
        muted(&stage)
        #expect(stage.user.badge.totalUnread == 0)
        #expect(stage.pass(4_999).queued == 0)
        #expect(stage.pass(1).queued == 1)
        let built = stage.build(.phone)
        #expect(built.draft?.kind == .badge)
        #expect(built.draft?.badge == 0)
        stage.answer(.phone, built.request, .accepted)
        #expect(stage.pass(86_400_000).queued == 0)
    }

    @Test func `badge-only pushes are 30 s apart, then twice as long each time, at most 15 min`() {
        var stage = Stage { $0.badgeCountsMuted = false }
        stage.register(.phone)
        stage.message()
        stage.accept(.phone)
        var gaps: [Int64] = []
        var last = stage.now
        for turn in 0..<9 {
            _ = stage.user.configure(
                ConversationID("c-1"), isMuted: turn.isMultiple(of: 2), until: nil, at: stage.moment)
            while stage.build(.phone).draft == nil { stage.pass(1_000) }
            gaps.append(stage.now - last)
            last = stage.now
            stage.answer(.phone, stage.lastRequest, .accepted)
        }
        #expect(gaps == [5_000, 30_000, 60_000, 120_000, 240_000, 480_000, 900_000, 900_000, 900_000])
    }

    @Test func `a device that comes back is told by its connection, and the waiting begins anew`() {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        stage.accept(.phone)
        muted(&stage)
        stage.connect(.phone, 1, after: 2)
        #expect(stage.pass(60_000).queued == 0)
        #expect(stage.user.closed(ConnectionID(1), .gone, at: stage.moment).queued == 0)
        #expect(stage.pass(60_000).queued == 0)
        #expect(stage.user.device(.phone)?.record.badge?.total == 0)
    }

    @Test func `a connection that has not applied the change was told nothing`() {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        stage.accept(.phone)
        stage.connect(.phone, 1, after: 1)
        muted(&stage)
        stage.pass(10_000)
        _ = stage.user.closed(ConnectionID(1), .gone, at: stage.moment)
        #expect(stage.pass(5_000).queued == 1)
    }

    @Test func `a device that was never given a badge is owed none`() {
        var stage = Stage()
        stage.register(.phone)
        stage.message(wantsPush: false)
        #expect(stage.user.badge.totalUnread == 1)
        #expect(stage.pass(60_000).queued == 0)
    }

    @Test func `an alert on its way brings the badge by itself`() {
        var stage = Stage(mergeWindow: 20_000)
        stage.register(.phone)
        stage.message()
        stage.pass(20_000)
        stage.accept(.phone)
        stage.message(wantsPush: false)
        stage.message(in: "c-2")
        #expect(stage.pass(10_000).queued == 0)
        #expect(stage.pass(10_000).queued == 1)
        #expect(stage.build(.phone).draft?.kind == .alert)
    }

    @Test func `a reader away from the gateway has the badge from the answer to its read`() {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        stage.accept(.phone)
        stage.read("c-1", 1, by: .phone)
        #expect(stage.pass(60_000).queued == 0)
    }

    @Test func `the rule can be switched off: a push then carries the number before`() {
        var stage = Stage { $0.disabledRules = .badgeOfNow }
        stage.register(.phone)
        stage.message()
        stage.message()
        #expect(stage.build(.phone).draft?.badge == 1)
    }
}

extension PushDraft {
    var cover: CoverDraft? { if case .cover(let cover) = content { cover } else { nil } }
}
