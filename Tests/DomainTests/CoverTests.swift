import Domain
import Testing

/// What is owed to a screen after a read elsewhere (domain: Revoke).
@Suite struct CoverTests {
    private let c1 = ConversationID("c-1")
    private let c2 = ConversationID("c-2")

    /// A phone whose alerts were accepted.
    private func notified(_ conversations: [String], mergeWindow: Int64 = 0) -> Stage {
        var stage = Stage(mergeWindow: mergeWindow)
        stage.register(.phone)
        for conversation in conversations {
            stage.message(in: conversation)
            stage.accept(.phone)
        }
        return stage
    }

    @Test func `a read elsewhere owes a device that was notified one cover, with the badge of now`() {
        var stage = notified(["c-1", "c-2"])
        #expect(stage.read("c-1", 1).queued == 1)
        let built = stage.build(.phone)
        #expect(built.draft?.kind == .cover)
        #expect(built.draft?.badge == 1)
        #expect(built.draft?.cover?.conversation == c1)
        #expect(built.draft?.cover?.clear == [c1])
        #expect(built.draft?.cover?.rendered == nil)
        #expect(built.draft?.cover?.mayExpireAtOnce == true)
        stage.answer(.phone, built.request, .accepted)
        #expect(stage.build(.phone).draft == nil)
        #expect(stage.pass(3_600_000).queued == 0)
    }

    @Test func `what stays unread is shown again by the cover, and is in no list of banners to remove`() {
        var stage = notified(["c-1", "c-1", "c-1"])
        stage.read("c-1", 2)
        let cover = stage.build(.phone).draft?.cover
        #expect(cover?.clear == [])
        #expect(cover?.rendered?.message.id == MessageID("m-3"))
        #expect(cover?.rendered?.count == 1)
        #expect(cover?.mayExpireAtOnce == false)
    }

    @Test func `the reader and a connected device get no cover`() {
        var stage = notified(["c-1"])
        stage.register(.tablet)
        #expect(stage.read("c-1", 1, by: .phone).queued == 0)
        var connected = notified(["c-1"])
        connected.connect(.phone, 1)
        #expect(connected.read("c-1", 1).queued == 0)
    }

    @Test func `a connection that closes before the read was applied leaves the cover owed`() {
        var stage = notified(["c-1"])
        stage.connect(.phone, 1)
        stage.read("c-1", 1)
        let actions = stage.user.closed(ConnectionID(1), .gone, at: stage.moment)
        #expect(actions.queued == 1)
        #expect(stage.build(.phone).draft?.kind == .cover)
    }

    @Test func `a connection on which the read was applied has cleared the banner`() {
        var stage = notified(["c-1"])
        stage.connect(.phone, 1)
        stage.read("c-1", 1)
        _ = stage.user.applied(.phone, through: 2, at: stage.moment, keys: &stage.keys)
        stage.pass(1_000)
        #expect(stage.user.closed(ConnectionID(1), .gone, at: stage.moment).queued == 0)
        #expect(stage.user.device(.phone)?.record.banners == [])
    }

    @Test func `an extension that applies beside a dead connection does not clear its banner`() {
        var stage = notified(["c-1"])
        stage.connect(.phone, 1)
        stage.read("c-1", 1)
        _ = stage.user.applied(.phone, through: 2, isByApp: false, at: stage.moment, keys: &stage.keys)
        stage.pass(1_000)
        _ = stage.user.closed(ConnectionID(1), .gone, at: stage.moment)
        #expect(stage.build(.phone).draft?.kind == .cover)
    }

    @Test func `an extension that applies beside its banner does not clear it`() {
        var stage = notified(["c-1"])
        _ = stage.user.applied(.phone, through: 1, at: stage.moment, keys: &stage.keys)
        #expect(stage.read("c-1", 1).queued == 1)
    }

    @Test func `a read while the alert is with the provider is settled with its outcome`() {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        let alert = stage.build(.phone)
        #expect(stage.read("c-1", 1).queued == 0)
        let actions = stage.answer(.phone, alert.request, .accepted)
        #expect(actions.ends == [.notified])
        #expect(actions.queued == 1)
        #expect(stage.build(.phone).draft?.cover?.clear == [c1])
    }

    @Test func `an alert that never left needs no cover after the read`() {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        let alert = stage.build(.phone)
        stage.read("c-1", 1)
        #expect(stage.answer(.phone, alert.request, .channelFault).ends == [.cancelled])
        #expect(stage.build(.phone).draft == nil)
    }

    @Test func `one cover removes all that was read, and later ones name it again until the device is seen`()
    {
        var stage = notified(["c-1", "c-2", "c-3"])
        _ = stage.user.readAll(by: nil, at: stage.moment)
        #expect(stage.build(.phone).draft?.cover?.clear.count == 3)
        stage = notified(["c-1", "c-2"])
        stage.read("c-1", 1)
        stage.accept(.phone)
        stage.read("c-2", 2)
        #expect(stage.build(.phone).draft?.cover?.clear == [c1, c2])
        stage = notified(["c-1", "c-2"])
        stage.read("c-1", 1)
        stage.accept(.phone)
        stage.connect(.phone, 1, after: 3)
        _ = stage.user.closed(ConnectionID(1), .gone, at: stage.moment)
        stage.read("c-2", 2)
        #expect(stage.build(.phone).draft?.cover?.clear == [c2])
    }

    @Test func `a new alert of the conversation takes the place of the cover that was owed`() {
        var stage = notified(["c-1"], mergeWindow: 0)
        stage.read("c-1", 1)
        stage.message()
        #expect(stage.build(.phone).draft?.kind == .alert)
    }

    @Test func `Web Push is never covered`() {
        var stage = Stage()
        stage.register(.phone, [.webPush])
        stage.message()
        stage.accept(.phone)
        #expect(stage.read("c-1", 1).queued == 0)
        #expect(stage.build(.phone).draft == nil)
    }

    @Test func `a recalled message counts no more, cancels its task and leaves the screen`() {
        var stage = notified(["c-1", "c-1"])
        let actions = stage.user.recalled(MessageID("m-2"), 2, in: c1, at: stage.moment)
        #expect(actions.queued == 1)
        #expect(stage.user.badge.totalUnread == 1)
        #expect(stage.build(.phone).draft?.cover?.rendered?.message.id == MessageID("m-1"))
        var waiting = Stage(mergeWindow: 5_000)
        waiting.register(.phone)
        waiting.message()
        let ended = waiting.user.recalled(MessageID("m-1"), 1, in: c1, at: waiting.moment)
        #expect(ended.reasons == [.recalled])
        #expect(waiting.pass(60_000).queued == 0)
    }

    @Test func `who leaves a conversation has nothing unread, no task and no banner of it`() {
        var stage = notified(["c-1"], mergeWindow: 0)
        stage.message()
        let actions = stage.user.left(c1, at: stage.moment)
        #expect(actions.reasons == [.read])
        #expect(stage.user.badge.totalUnread == 0)
        #expect(stage.build(.phone).draft?.cover?.clear == [c1])
    }

    @Test func `a cover that its provider refuses is tried again, later and not for ever`() {
        var stage = notified(["c-1"])
        stage.read("c-1", 1)
        var tries = 0
        while let request = stage.nextRequest(.phone) {
            tries += 1
            stage.answer(.phone, request, .retry(afterMilliseconds: nil))
            // Five for the cover; then the badge that it did not bring.
            if tries < 5 { #expect(stage.build(.phone).draft == nil) }
            stage.pass(61_000)
            if tries > 20 { break }
        }
        #expect(tries >= 5)
        #expect(stage.user.device(.phone)?.record.banners == [])
    }

    @Test(arguments: [(256, 256), (257, 0)])
    func `a banner keeps a small payload with its message, and no large one`(bytes: Int, kept: Int) throws {
        var stage = Stage()
        stage.register(.phone)
        stage.message(payloadBytes: bytes)
        stage.accept(.phone)
        let banner = try #require(stage.user.device(.phone)?.record.banners.last)
        #expect(banner.entries.map(\.message?.id) == [MessageID("m-1")])
        #expect(banner.entries.map(\.message?.payload.count) == [kept])
    }

    @Test func `what is owed survives: the record gives it back`() throws {
        var stage = notified(["c-1", "c-2", "c-2"])
        stage.read("c-1", 1)
        stage.read("c-2", 2)
        let record = stage.user.pushRecord(at: stage.moment)
        #expect(stage.user.isOwed)
        #expect(record.shownSeqs == [3])
        var messages: [MailboxSeq: Message] = [:]
        for entry in record.devices.flatMap(\.record.banners).flatMap(\.entries) {
            messages[entry.seq] = entry.message
        }
        let decoded = PushRecord(decoding: record.encoded(), messages: messages)
        #expect(decoded == record)
        #expect(PushRecord(decoding: Array(record.encoded().dropLast()), messages: [:]) == nil)
    }

    @Test func `the rule can be switched off, for the case that proves it`() {
        var stage = Stage { $0.disabledRules = .readsRevoke }
        stage.register(.phone)
        stage.message()
        stage.accept(.phone)
        #expect(stage.read("c-1", 1).queued == 0)
    }
}
