import Domain
import Testing

/// The table of PD-1, line by line.
@Suite struct PD1Tests {
    @Test func `a message to an offline device is due at once`() {
        var stage = Stage()
        stage.register(.tablet)
        let actions = stage.message()
        #expect(actions.tasksMade == 1)
        #expect(actions.queued == 1)
    }

    @Test func `another device that is online and applies cancels nothing`() {
        var stage = Stage()
        stage.register(.phone)
        stage.register(.tablet)
        stage.connect(.phone, 1)
        let actions = stage.message()
        #expect(actions.tasksMade == 2)
        #expect(actions.queued == 1)
        #expect(stage.build(.tablet).draft?.device == .tablet)
        _ = stage.user.applied(.phone, through: 1, at: stage.moment, keys: &stage.keys)
        #expect(stage.user.device(.tablet)?.hasOpenTasks == true)
        #expect(stage.user.device(.phone)?.hasOpenTasks == false)
    }

    @Test(arguments: [(2_999, 0), (3_000, 1)])
    func `without PUSHED a task is due when the grace window is over`(wait: Int64, queued: Int) {
        var stage = Stage()
        stage.register(.phone)
        stage.connect(.phone, 1)
        stage.message()
        #expect(stage.pass(wait).queued == queued)
    }

    @Test(arguments: [(17_999, 0), (18_000, 1)])
    func `PUSHED cancels nothing but moves the hold to 18 s after the first write`(wait: Int64, queued: Int) {
        var stage = Stage()
        stage.register(.phone)
        stage.connect(.phone, 1)
        stage.message()
        stage.now += 100
        _ = stage.user.pushed(ConnectionID(1), through: 1, at: stage.moment)
        #expect(stage.pass(wait).queued == queued)
    }

    @Test func `a later write never moves the deadline`() {
        var stage = Stage()
        stage.register(.phone)
        stage.connect(.phone, 1)
        stage.message()
        _ = stage.user.pushed(ConnectionID(1), through: 1, at: stage.moment)
        stage.now += 10_000
        stage.connect(.phone, 2)
        _ = stage.user.pushed(ConnectionID(2), through: 1, at: stage.moment)
        #expect(stage.pass(7_999).queued == 0)
        #expect(stage.pass(1).queued == 1)
    }

    @Test func `APPLIED deletes the task, also one that is due`() {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        #expect(stage.connect(.phone, 1, after: 1).ends == [.applied])
        #expect(stage.build(.phone).draft == nil)
    }

    @Test func `APPLIED one moment before the deadline leaves nothing to push`() {
        var stage = Stage()
        stage.register(.phone)
        stage.connect(.phone, 1)
        stage.message()
        _ = stage.user.pushed(ConnectionID(1), through: 1, at: stage.moment)
        stage.now += 17_999
        let applied = try? stage.user.applied(.phone, through: 1, at: stage.moment, keys: &stage.keys).get()
        #expect(applied?.ends == [.applied])
        #expect(stage.pass(1).queued == 0)
    }

    @Test func `the close of the last connection makes un-applied entries due at once`() {
        var stage = Stage()
        stage.register(.phone)
        stage.connect(.phone, 1)
        stage.message()
        stage.message()
        _ = stage.user.pushed(ConnectionID(1), through: 2, at: stage.moment)
        _ = stage.user.applied(.phone, through: 1, at: stage.moment, keys: &stage.keys)
        #expect(stage.user.closed(ConnectionID(1), .gone, at: stage.moment).queued == 1)
        #expect(stage.build(.phone).draft?.alert?.mailboxSeq == 2)
    }

    @Test func `a newer connection replaces the older and is not a close`() {
        var stage = Stage()
        stage.register(.phone)
        stage.connect(.phone, 1)
        stage.message()
        let actions = stage.connect(.phone, 2)
        #expect(actions.contains(.close(ConnectionID(1), .replaced)))
        #expect(actions.queued == 0)
        #expect(stage.user.closed(ConnectionID(1), .gone, at: stage.moment).isEmpty)
        #expect(stage.user.device(.phone)?.presence?.connection == ConnectionID(2))
        #expect(stage.pass(3_000).queued == 1)
    }

    @Test func `our own drain keeps the hold and writes its deadline down`() {
        var stage = Stage()
        stage.register(.phone)
        stage.connect(.phone, 1)
        stage.message()
        stage.now += 1_000
        let key = stage.user.device(.phone)?.key ?? DeviceKey(0)
        #expect(
            stage.user.draining(at: stage.moment) == [
                .moveTask(key, 1, .held, dueInMilliseconds: 2_000, attempts: 0)
            ])
        #expect(stage.user.closed(ConnectionID(1), .drained, at: stage.moment).queued == 0)
    }

    @Test func `a device that reconnects leaves due what is due`() {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        stage.connect(.phone, 1)
        #expect(stage.build(.phone).draft?.alert?.mailboxSeq == 1)
    }

    @Test func `a device that registers later gets no task for older entries`() {
        var stage = Stage()
        stage.message()
        #expect(stage.register(.tablet).tasksMade == 0)
        #expect(stage.message().tasksMade == 1)
    }

    @Test func `a seq above the head is refused and changes nothing`() {
        var stage = Stage()
        stage.register(.phone)
        stage.connect(.phone, 1)
        stage.message()
        #expect(
            stage.user.applied(.phone, through: 2, at: stage.moment, keys: &stage.keys)
                == .failure(.seqBeyondHead))
        let read = stage.user.read(ConversationID("c-1"), through: 2, by: nil, at: stage.moment)
        #expect(read == .failure(.seqBeyondHead))
        #expect(stage.user.device(.phone)?.appliedSeq == 0)
        #expect(stage.user.head == 1)
    }

    @Test func `entries that a connection skips are not PUSHED by it`() {
        var stage = Stage()
        stage.register(.phone)
        stage.connect(.phone, 1)
        stage.message()
        _ = stage.user.connected(
            .phone, ConnectionID(2), resume: .head, at: stage.moment, keys: &stage.keys)
        stage.message()
        _ = stage.user.pushed(ConnectionID(2), through: 2, at: stage.moment)
        #expect(stage.pass(3_000).queued == 1)
        #expect(stage.build(.phone).draft?.alert?.mailboxSeq == 1)
    }
}
