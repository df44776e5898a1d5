import Domain
import Testing

/// The number that a banner shows is of all that is unread, not only of what the device was notified of: it
/// is put right when that becomes less elsewhere (domain: Revoke).
@Suite struct CoverNumberTests {
    private let c1 = ConversationID("c-1")

    /// A phone to which so many alerts of one conversation were accepted, one by one.
    private func notified(_ count: Int) -> Stage {
        var stage = Stage {
            $0.pushRatePerUserPerMinute = 100
            $0.pushRatePerConversationPerMinute = 100
        }
        stage.register(.phone)
        for _ in 0..<count {
            stage.message()
            stage.accept(.phone)
        }
        return stage
    }

    @Test(arguments: [1, 4, 11] as [MailboxSeq])
    func `a read of a few of many is told, however long ago they were notified`(seq: MailboxSeq) {
        var stage = notified(12)
        #expect(stage.read("c-1", seq).queued == 1)
        let cover = stage.build(.phone).draft?.cover
        #expect(cover?.rendered?.count == 12 - seq)
        #expect(cover?.rendered?.message.id == MessageID("m-12"))
        #expect(cover?.clear == [])
    }

    @Test func `so is the recall of one that was notified long ago`() {
        var stage = notified(12)
        let actions = stage.user.recalled(MessageID("m-2"), 2, in: c1, at: stage.moment)
        #expect(actions.queued == 1)
        #expect(stage.build(.phone).draft?.cover?.rendered?.count == 11)
    }

    @Test func `a read of what the device was never notified of changes the number beside its banner`() {
        var stage = Stage()
        stage.register(.tablet)
        for _ in 0..<3 { stage.message() }
        stage.register(.phone)
        stage.message()
        #expect(stage.build(.phone).draft?.alert?.count == 4)
        stage.answer(.phone, stage.lastRequest, .accepted)
        stage.read("c-1", 3, by: .tablet)
        let cover = stage.build(.phone).draft?.cover
        #expect(cover?.rendered?.message.id == MessageID("m-4"))
        #expect(cover?.rendered?.count == 1)
        stage.answer(.phone, stage.lastRequest, .accepted)
        #expect(stage.build(.phone).draft == nil)
    }

    @Test func `the number of an alert that is with its provider is put right after its outcome`() {
        var stage = notified(2)
        _ = stage.user.applied(.phone, through: 2, at: stage.moment, keys: &stage.keys)
        stage.message()
        let alert = stage.build(.phone)
        #expect(alert.draft?.alert?.count == 3)
        #expect(stage.read("c-1", 2).queued == 0)
        #expect(stage.answer(.phone, alert.request, .accepted).queued == 1)
        #expect(stage.build(.phone).draft?.cover?.rendered?.count == 1)
    }

    @Test func `an alert that is built again has the number of that moment, and needs no cover`() {
        var stage = Stage()
        stage.register(.tablet)
        stage.message()
        stage.register(.phone)
        stage.message()
        let alert = stage.build(.phone)
        stage.read("c-1", 1, by: .tablet)
        stage.answer(.phone, alert.request, .channelFault)
        #expect(stage.build(.phone).draft?.alert?.count == 1)
        stage.answer(.phone, stage.lastRequest, .accepted)
        #expect(stage.build(.phone).draft == nil)
    }

    @Test func `what came after a banner changes nothing of it when it goes`() {
        var stage = Stage { $0.pushRatePerConversationPerMinute = 1 }
        stage.register(.phone)
        stage.message()
        stage.accept(.phone)
        stage.message()
        #expect(stage.build(.phone).draft == nil)
        let actions = stage.user.recalled(MessageID("m-2"), 2, in: c1, at: stage.moment)
        #expect(actions.queued == 0)
    }

    @Test func `the reader itself is told nothing`() {
        var stage = notified(12)
        #expect(stage.read("c-1", 4, by: .phone).queued == 0)
        #expect(stage.build(.phone).draft == nil)
    }

    @Test func `read-all takes away what counts for nothing, and cancels what would show it`() {
        var stage = Stage(mergeWindow: 5_000)
        stage.register(.phone)
        stage.message(countsUnread: false)
        stage.pass(5_000)
        stage.accept(.phone)
        stage.message(in: "c-2", countsUnread: false)
        let actions = stage.user.readAll(by: nil, at: stage.moment)
        #expect(actions.reasons == [.read])
        #expect(stage.build(.phone).draft?.cover?.clear == [c1])
        #expect(stage.user.readAll(by: nil, at: stage.moment).isEmpty)
    }
}
