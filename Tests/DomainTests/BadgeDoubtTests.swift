import Domain
import Testing

/// BC-1, where a connection ends before it is sure that the device has heard its badge.
@Suite struct BadgeDoubtTests {
    /// A phone that was pushed the 1 of its first message, connected, and is told a 2.
    private func told() -> Stage {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        stage.accept(.phone)
        stage.connect(.phone, 1, after: 1)
        stage.pass(10_000)
        stage.message(in: "c-2", wantsPush: false)
        return stage
    }

    private func owedBadge(_ stage: inout Stage) -> Int64? {
        stage.pass(60_000)
        let built = stage.build(.phone).draft
        return built?.kind == .badge ? built?.badge : nil
    }

    @Test func `the number pushed last is owed again if another was told unheard`() {
        var stage = told()
        stage.pass(100)
        _ = stage.user.closed(ConnectionID(1), .gone, at: stage.moment)
        stage.read("c-2", 2)
        #expect(stage.user.badge.totalUnread == 1)
        #expect(owedBadge(&stage) == 1)
        stage.answer(.phone, stage.lastRequest, .accepted)
        #expect(owedBadge(&stage) == nil)
    }

    @Test func `applied, and then silent until its connection ended, it may not have heard`() {
        var stage = told()
        _ = stage.user.applied(.phone, through: 2, at: stage.moment, keys: &stage.keys)
        stage.pass(20_000)
        _ = stage.user.closed(ConnectionID(1), .gone, silentFor: 19_900, at: stage.moment)
        #expect(owedBadge(&stage) == 2)
    }

    @Test func `heard of once more after the badge was told, it has the badge`() {
        var stage = told()
        _ = stage.user.applied(.phone, through: 2, at: stage.moment, keys: &stage.keys)
        stage.pass(20_000)
        _ = stage.user.closed(ConnectionID(1), .gone, silentFor: 5_000, at: stage.moment)
        #expect(owedBadge(&stage) == nil)
    }

    @Test func `a device that was only ever told a badge by a connection is kept right, too`() {
        var stage = Stage()
        stage.register(.phone)
        stage.message(wantsPush: false)
        stage.connect(.phone, 1, after: 1)
        stage.pass(10_000)
        _ = stage.user.closed(ConnectionID(1), .gone, at: stage.moment)
        stage.read("c-1", 1)
        #expect(owedBadge(&stage) == 0)
    }

    @Test func `where there was no number and is none, AUTH_OK leaves no doubt`() {
        var stage = Stage()
        stage.register(.phone)
        stage.connect(.phone, 1)
        _ = stage.user.closed(ConnectionID(1), .gone, at: stage.moment)
        #expect(owedBadge(&stage) == nil)
        #expect(stage.user.device(.phone)?.record.badge?.total == 0)
    }

    @Test func `of a push that was overtaken by what a connection told, it is open which is shown`() throws {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        let next = stage.nextRequest(.phone)
        let request = try #require(next)
        stage.connect(.phone, 1, after: 1)
        stage.message(wantsPush: false)
        stage.pass(10_000)
        stage.answer(.phone, request, .accepted)
        _ = stage.user.closed(ConnectionID(1), .gone, at: stage.moment)
        #expect(stage.user.device(.phone)?.record.isBadgeDoubtful == true)
        #expect(owedBadge(&stage) == 2)
    }

    @Test func `a number that the policy moved just before the connection ended was not heard`() {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        stage.accept(.phone)
        stage.connect(.phone, 1, after: 1)
        _ = stage.user.configure(ConversationID("c-1"), isMuted: true, until: nil, at: stage.moment)
        _ = stage.user.applied(.phone, through: 2, at: stage.moment, keys: &stage.keys)
        stage.pass(10_000)
        var policy = stage.user.policy
        policy.badgeCountsMuted.toggle()
        _ = stage.user.policyChanged(SharedPolicy(policy), zone: .utc, at: stage.moment)
        stage.pass(100)
        _ = stage.user.closed(ConnectionID(1), .gone, at: stage.moment)
        #expect(owedBadge(&stage) == stage.user.badge.totalUnread)
    }

    @Test func `doubt is stored`() throws {
        var stage = told()
        let phone = try #require(stage.user.device(.phone)).key
        let bytes = stage.user.pushRecord(at: stage.moment).encoded()
        let decoded = try #require(PushRecord(decoding: bytes, messages: [:]))
        #expect(decoded[phone]?.isBadgeDoubtful == true)
        #expect(decoded[phone]?.badge?.total == 1)
    }

    @Test func `a record from before there was any doubt is read`() throws {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        stage.accept(.phone)
        let record = stage.user.pushRecord(at: stage.moment)
        let bytes = record.encoded()
        #expect(bytes.first == 3)
        #expect(PushRecord(decoding: [2] + bytes.dropFirst(), messages: [:])?.shownSeqs == record.shownSeqs)
        #expect(PushRecord(decoding: [4] + bytes.dropFirst(), messages: [:]) == nil)
    }
}
