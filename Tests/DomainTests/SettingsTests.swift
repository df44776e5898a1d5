import Domain
import Testing

@Suite struct SettingsTests {
    private let conversation = ConversationID("c-1")

    private func mute(_ stage: inout Stage, for milliseconds: Int64? = nil) -> [UserAction] {
        stage.user.configure(
            conversation, isMuted: true, until: milliseconds.map { stage.moment.wall + $0 }, at: stage.moment)
    }

    @Test func `a muted conversation counts unread and makes no task, except for a mention`() {
        var stage = Stage()
        stage.register(.phone)
        _ = mute(&stage)
        #expect(stage.message().reasons == [.muted])
        #expect(stage.user.badge.totalUnread == 0 && stage.user.badge.mutedUnread == 1)
        #expect(stage.message(mention: .user).tasksMade == 1)
        #expect(stage.message(mention: .all).tasksMade == 1)
        #expect(stage.user.badge.totalUnread == 2 && stage.user.badge.mutedUnread == 3)
        #expect(stage.message(in: "c-2").tasksMade == 1)
    }

    @Test func `a task of before is judged again when its push is built`() {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        _ = mute(&stage)
        let built = stage.build(.phone)
        #expect(built.draft == nil && built.actions.reasons == [.muted])
    }

    @Test func `what stands so already is no entry`() {
        var stage = Stage()
        #expect(!mute(&stage, for: 60_000).isEmpty)
        #expect(mute(&stage, for: 60_000).isEmpty)
        #expect(!mute(&stage, for: 90_000).isEmpty)
        #expect(!mute(&stage).isEmpty)
        #expect(stage.user.head == 3)
        let unmuted = stage.user.configure(conversation, isMuted: false, until: nil, at: stage.moment)
        #expect(stage.user.head == 4 && !unmuted.isEmpty)
    }

    @Test func `a mute that ends before it begins is none`() {
        var stage = Stage()
        #expect(mute(&stage, for: 0).isEmpty)
        #expect(stage.user.head == 0)
    }

    @Test func `the end of a mute is an entry, and what comes then pushes`() {
        var stage = Stage()
        stage.register(.phone)
        let actions = mute(&stage, for: 60_000)
        #expect(actions.contains(.saveWake(stage.moment.wall + 60_000)))
        #expect(stage.user.nextDeadline == stage.moment.instant + 60_000)
        #expect(stage.pass(59_999).isEmpty == false || stage.user.head == 1)
        stage.message()
        #expect(stage.user.conversations[conversation].isMuted)
        let ended = stage.pass(1)
        #expect(ended.contains(.saveWake(nil)))
        #expect(!stage.user.conversations[conversation].isMuted && stage.user.head == 3)
        #expect(stage.user.badge.totalUnread == 1)
        #expect(stage.message().tasksMade == 1)
    }

    @Test func `a message does not wait for the timer: a mute that is over does not silence it`() {
        var stage = Stage()
        stage.register(.phone)
        _ = mute(&stage, for: 1_000)
        stage.now += 1_000
        #expect(stage.message().tasksMade == 1)
    }

    @Test func `a state from the store ends what ran out meanwhile, and waits for the rest`() {
        var stage = Stage()
        _ = mute(&stage, for: 1_000)
        _ = stage.user.configure(
            ConversationID("c-2"), isMuted: true, until: stage.moment.wall + 9_000, at: stage.moment)
        stage.now += 5_000
        let actions = stage.user.resumed(at: stage.moment)
        #expect(!stage.user.conversations[conversation].isMuted)
        #expect(stage.user.conversations[ConversationID("c-2")].isMuted)
        #expect(actions.contains(.saveWake(stage.moment.wall + 4_000)))
        #expect(stage.user.nextDeadline == stage.moment.instant + 4_000)
    }
}
