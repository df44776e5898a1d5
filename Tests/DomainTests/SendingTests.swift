import Domain
import Testing

@Suite struct SendingTests {
    @Test func `one request per token is in flight; the next is built after its outcome`() {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        stage.message()
        let first = stage.build(.phone)
        #expect(first.draft != nil)
        #expect(stage.build(.phone).draft == nil)
        #expect(stage.answer(.phone, first.request, .accepted).queued == 1)
        #expect(stage.build(.phone).draft?.alert?.mailboxSeq == 2)
    }

    @Test func `the badge is that of the moment the request is built`() {
        var stage = Stage()
        stage.register(.phone)
        stage.message(in: "c-1")
        stage.message(in: "c-2")
        _ = stage.user.read(ConversationID("c-2"), through: 2, by: nil, at: stage.moment)
        let draft = stage.build(.phone).draft
        #expect(draft?.badge == 1)
        #expect(draft?.badgeRevision == 3)
    }

    @Test func `a retry keeps the group, waits, and gives up after the last attempt`() {
        var stage = Stage { $0.pushRetryMaxAttempts = 3 }
        stage.register(.phone)
        stage.message("m-1")
        for attempt in 1...2 {
            let built = stage.build(.phone)
            #expect(built.draft?.alert?.oldestMessage == MessageID("m-1"))
            let actions = stage.answer(.phone, built.request, .retry(afterMilliseconds: nil), jitter: 0.5)
            let wait: Int64 = attempt == 1 ? 500 : 1_000
            #expect(actions.queued == 0)
            #expect(stage.pass(wait - 1).queued == 0)
            #expect(stage.pass(1).queued == 1)
        }
        let last = stage.build(.phone)
        let actions = stage.answer(.phone, last.request, .retry(afterMilliseconds: nil))
        #expect(actions.reasons == [.attemptsExhausted])
    }

    @Test func `a fault of the channel burns no attempt`() {
        var stage = Stage { $0.pushRetryMaxAttempts = 1 }
        stage.register(.phone)
        stage.message()
        for _ in 0..<10 {
            let built = stage.build(.phone)
            #expect(stage.answer(.phone, built.request, .channelFault).queued == 1)
        }
    }

    @Test func `Retry-After wins over the back-off`() {
        #expect(RetryBackOff.milliseconds(attempt: 1, transport: .apns, after: 90_000, 0) == 90_000)
    }

    @Test(arguments: [(1, 1_000), (2, 2_000), (6, 32_000), (7, 60_000), (60, 60_000)])
    func `the back-off doubles from a second to a minute`(attempt: Int, ceiling: Int64) {
        let longest = RetryBackOff.milliseconds(attempt: attempt, transport: .apns, after: nil, 1)
        #expect(longest == ceiling)
        #expect(RetryBackOff.milliseconds(attempt: attempt, transport: .fcm, after: nil, 0) == 10_000)
    }

    @Test func `a dead token goes, and with it the tasks; nothing is made for it later`() {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        let phone = stage.user.device(.phone)
        let token = phone?.alertToken?.key ?? TokenKey(0)
        let built = stage.build(.phone)
        let actions = stage.answer(.phone, built.request, .tokenDead(since: nil))
        #expect(actions.contains(.removeToken(phone?.key ?? DeviceKey(0), token)))
        #expect(actions.reasons == [.tokenDead])
        #expect(stage.message().tasksMade == 0)
    }

    @Test func `a token registered after the provider's verdict stays`() {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        let built = stage.build(.phone)
        let before = stage.moment.wall + -60_000
        let actions = stage.answer(.phone, built.request, .tokenDead(since: before))
        #expect(actions.reasons == [.rejected])
        #expect(stage.user.device(.phone)?.isWakeable == true)
    }

    @Test func `the next transport is tried when the first has died`() {
        var stage = Stage()
        stage.register(.phone, [.fcm, .apns])
        stage.message("m-1")
        let first = stage.build(.phone)
        #expect(first.draft?.token.transport == .apns)
        #expect(stage.answer(.phone, first.request, .tokenDead(since: nil)).queued == 1)
        let second = stage.build(.phone)
        #expect(second.draft?.token.transport == .fcm)
        #expect(second.draft?.alert?.oldestMessage == MessageID("m-1"))
    }

    @Test func `the verdict on a token that was replaced meanwhile does not touch the new one`() {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        let built = stage.build(.phone)
        stage.register(.phone)
        #expect(stage.answer(.phone, built.request, .tokenDead(since: nil)).queued == 1)
        #expect(stage.build(.phone).draft != nil)
    }

    @Test(arguments: [PushVerdict.retry(afterMilliseconds: nil), .channelFault, .rejected])
    func `what was applied while it was in flight is not tried again`(verdict: PushVerdict) {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        let built = stage.build(.phone)
        stage.connect(.phone, 1, after: 1)
        let actions = stage.answer(.phone, built.request, verdict)
        #expect(actions.ends == [.applied])
        #expect(stage.pass(60_000).queued == 0)
    }

    @Test func `recovered tasks are due; those that waited to retry wait on, not longer than they may`() {
        var stage = Stage()
        stage.register(.phone)
        let device = stage.user.device(.phone)?.key ?? DeviceKey(0)
        func task(_ seq: MailboxSeq) -> PushTask {
            PushTask(
                key: TaskKey(seq),
                message: Message(
                    key: MessageKey(seq), id: MessageID("m-\(seq)"),
                    conversation: Message.Conversation(id: ConversationID("c"), kind: .direct),
                    sender: Message.Sender(user: UserID("ann"))), mention: .none, seq: seq,
                materialisedAt: stage.moment.wall, largeGroupMembers: 100, trace: [])
        }
        let late = stage.moment.instant + 999_999_999
        let actions = stage.user.recovered(
            [
                User.RecoveredTask(device: device, task: task(1), attempts: 0, state: .due),
                User.RecoveredTask(
                    device: device, task: task(2), attempts: 2, state: .retrying(at: late)),
                User.RecoveredTask(
                    device: device, task: task(3), attempts: 0, state: .held(until: late, isExtended: false)),
            ], at: stage.moment)
        #expect(actions.queued == 1)
        #expect(stage.user.nextDeadline == stage.moment.instant + 18_000)
        #expect(stage.build(.phone).draft?.alert?.mailboxSeq == 1)
    }
}
