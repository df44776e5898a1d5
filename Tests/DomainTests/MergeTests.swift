import Domain
import Testing

@Suite struct MergeTests {
    @Test func `what falls due within the window of the first is one push when it closes`() {
        var stage = Stage(mergeWindow: 5_000)
        stage.register(.phone)
        #expect(stage.message("m-1").queued == 0)
        stage.now += 4_999
        #expect(stage.message("m-2").queued == 0)
        #expect(stage.pass(1).queued == 1)
        let draft = stage.build(.phone).draft
        #expect(draft?.alert?.count == 2)
        #expect(draft?.alert?.oldestMessage == MessageID("m-1"))
        #expect(draft?.alert?.message.id == MessageID("m-2"))
        #expect(draft?.badge == 2)
    }

    @Test func `each task says how long its group was to collect, also one that never left`() {
        var stage = Stage(mergeWindow: 5_000)
        stage.register(.phone)
        stage.message("m-1")
        stage.now += 1_200
        stage.message("m-2")
        let waits = stage.read("c-1", 2).compactMap { action -> [Int64]? in
            guard case .endTask(_, _, .cancelled, .read, let trace) = action else { return nil }
            return trace.compactMap { step in
                if case .merging(let milliseconds) = step.event { milliseconds } else { nil }
            }
        }
        #expect(waits == [[5_000], [3_800]])
    }

    @Test func `N is the conversation's unread, if that is more than the group`() {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        let first = stage.build(.phone)
        stage.answer(.phone, first.request, .accepted)
        stage.message()
        #expect(stage.build(.phone).draft?.alert?.count == 2)
    }

    @Test func `conversations are not merged with each other`() {
        var stage = Stage(mergeWindow: 5_000)
        stage.register(.phone)
        stage.message(in: "c-1")
        stage.message(in: "c-2")
        stage.pass(5_000)
        let first = stage.build(.phone)
        #expect(first.draft?.alert?.count == 1)
        #expect(stage.answer(.phone, first.request, .accepted).queued == 1)
    }

    @Test func `a group with a mention shows the newest mention and goes first`() {
        var stage = Stage(mergeWindow: 5_000)
        stage.register(.phone)
        stage.message("d-1", in: "direct")
        stage.message("g-1", in: "group", kind: .group, members: 200, mention: .user)
        stage.message("g-2", in: "group", kind: .group, members: 200)
        stage.pass(5_000)
        let draft = stage.build(.phone).draft
        #expect(draft?.alert?.message.id == MessageID("g-1"))
        #expect(draft?.alert?.mention == .user)
        #expect(draft?.priority == .mention)
        #expect(draft?.alert?.mailboxSeq == 3)
    }

    @Test func `a window of zero makes one push of each message`() {
        var stage = Stage()
        stage.register(.phone)
        stage.message("m-1")
        stage.message("m-2")
        let first = stage.build(.phone)
        #expect(first.draft?.alert?.message.id == MessageID("m-1"))
        stage.answer(.phone, first.request, .accepted)
        #expect(stage.build(.phone).draft?.alert?.message.id == MessageID("m-2"))
    }
}
