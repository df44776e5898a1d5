import Domain
import Testing

/// A request was handed over, and nobody knows what became of it: it counts as shown until its provider says
/// otherwise (domain: From due to sent).
@Suite struct UnheardTests {
    private let c1 = ConversationID("c-1")

    private func alertUnderWay() -> (stage: Stage, request: UInt64) {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        let request = stage.build(.phone).request
        return (stage, request)
    }

    @Test func `what was read before the answer was lost is not sent again, and is covered`() {
        var (stage, request) = alertUnderWay()
        stage.read("c-1", 1)
        #expect(stage.loseAnswer(.phone, request).ends == [.cancelled])
        let draft = stage.build(.phone).draft
        #expect(draft?.cover?.clear == [c1])
        #expect(draft?.badge == 0)
        stage.answer(.phone, stage.lastRequest, .accepted)
        #expect(stage.build(.phone).draft == nil)
    }

    @Test func `so is what is read or recalled before it can be sent again`() {
        var (stage, request) = alertUnderWay()
        #expect(stage.loseAnswer(.phone, request).ends == [])
        #expect(stage.read("c-1", 1).ends == [.cancelled])
        #expect(stage.build(.phone).draft?.cover?.clear == [c1])
        (stage, request) = alertUnderWay()
        stage.loseAnswer(.phone, request)
        let recalled = stage.user.recalled(MessageID("m-1"), 1, in: c1, at: stage.moment)
        #expect(recalled.ends == [.cancelled])
        #expect(stage.build(.phone).draft?.cover?.clear == [c1])
    }

    @Test func `sent again and accepted, it is shown once, and needs no cover`() {
        var (stage, request) = alertUnderWay()
        stage.loseAnswer(.phone, request)
        #expect(stage.build(.phone).draft?.kind == .alert)
        #expect(stage.answer(.phone, stage.lastRequest, .accepted).ends == [.notified])
        #expect(stage.user.device(.phone)?.record.banners.map(\.entries.count) == [1])
        #expect(stage.user.device(.phone)?.record.isBadgeDoubtful == false)
        #expect(stage.build(.phone).draft == nil)
    }

    @Test func `a refusal that was heard is one: nothing is shown`() {
        var (stage, request) = alertUnderWay()
        stage.answer(.phone, request, .channelFault)
        stage.read("c-1", 1)
        #expect(stage.build(.phone).draft == nil)
        #expect(stage.user.device(.phone)?.record.banners == [])
    }

    @Test func `its badge may have arrived, and is put right`() {
        var (stage, request) = alertUnderWay()
        stage.loseAnswer(.phone, request)
        // The task ends without a banner to cover, and the number is what it was before.
        _ = stage.user.configure(c1, isMuted: true, until: nil, at: stage.moment)
        #expect(stage.build(.phone).draft == nil)
        stage.pass(Policy().badgeSettleWindow)
        #expect(stage.build(.phone).draft?.kind == .badge)
    }

    @Test func `a badge push whose answer is lost is sent again, also if the number has gone back`() {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        stage.accept(.phone)
        stage.message(in: "c-2", wantsPush: false)
        stage.pass(Policy().badgeSettleWindow)
        let lost = stage.build(.phone)
        #expect(lost.draft?.kind == .badge)
        stage.read("c-2", 2)
        stage.loseAnswer(.phone, lost.request)
        stage.pass(Policy().badgeSettleWindow)
        #expect(stage.build(.phone).draft?.badge == 1)
    }
}
