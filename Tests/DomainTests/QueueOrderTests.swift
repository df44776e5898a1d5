import Testing

@testable import Domain

/// In which order a user's devices come to their turn.
@Suite struct QueueOrderTests {
    private func priorities(_ actions: [UserAction]) -> [PushPriority] {
        actions.compactMap { if case .queue(_, _, let priority) = $0 { priority } else { nil } }
    }

    private func place(_ priority: PushPriority, _ transport: Transport = .apns) -> QueuePlace {
        QueuePlace(transport: transport, environment: .production, priority: priority)
    }

    @Test
    func `a device that waits is queued again for what must go sooner, and once for each priority`() {
        var stage = Stage()
        stage.register(.phone)
        #expect(priorities(stage.message(kind: .group, members: 500)) == [.largeGroup])
        #expect(priorities(stage.message(kind: .group, members: 500)) == [])
        #expect(priorities(stage.message(kind: .direct)) == [.direct])
        #expect(priorities(stage.message(mention: .user)) == [.mention])
        #expect(priorities(stage.message(mention: .user)) == [])
        #expect(priorities(stage.message(kind: .direct)) == [])
        #expect(stage.user.device(.phone)?.places.count == 3)
    }

    @Test func `a mention that joins a push which waits moves it up`() {
        var stage = Stage(mergeWindow: 5_000)
        stage.register(.phone)
        stage.message(kind: .group)
        #expect(priorities(stage.pass(5_000)) == [.smallGroup])
        #expect(priorities(stage.message(kind: .group)) == [])
        #expect(priorities(stage.message(kind: .group, mention: .user)) == [.mention])
    }

    @Test func `what comes back from its channel waits where it belongs, whatever place was left behind`()
        throws
    {
        var stage = Stage()
        stage.register(.phone)
        let key = try #require(stage.user.device(.phone)?.key)
        stage.message(kind: .group)
        stage.message(in: "c-2", mention: .user)
        _ = stage.user.build(key, request: 1, from: place(.mention), at: stage.moment)
        #expect(priorities(stage.answer(.phone, 1, .channelFault)) == [.mention])
        _ = stage.user.build(key, request: 2, from: place(.mention), at: stage.moment)
        #expect(priorities(stage.answer(.phone, 2, .retry(afterMilliseconds: 1_000))) == [])
        #expect(priorities(stage.pass(2_000)) == [.mention])
    }

    @Test func `however often it is queued, a device has no more places than queues`() throws {
        var stage = Stage { $0.pushRatePerUserPerMinute = 1_000 }
        stage.register(.phone)
        let key = try #require(stage.user.device(.phone)?.key)
        for round in 0..<50 {
            stage.message(in: "c-\(round)", kind: .group, members: 500)
            stage.message(in: "d-\(round)", mention: .user)
            let built = stage.user.build(
                key, request: UInt64(round), from: place(.mention), at: stage.moment)
            #expect(built.draft?.alert?.mention == .user)
            stage.answer(.phone, UInt64(round), .accepted)
        }
        #expect(stage.user.device(.phone)?.places.count == 1)
    }

    @Test func `a place that was left behind finds nothing, and stands in nobody's way`() throws {
        var stage = Stage()
        stage.register(.phone)
        let key = try #require(stage.user.device(.phone)?.key)
        stage.message(kind: .group)
        stage.message(mention: .user)
        for (request, priority) in [(1, PushPriority.mention), (2, .smallGroup)]
            as [(UInt64, PushPriority)]
        {
            let built = stage.user.build(key, request: request, from: place(priority), at: stage.moment)
            #expect(built.draft != nil)
            stage.answer(.phone, request, .accepted)
        }
        #expect(stage.user.device(.phone)?.isQueued == false)
        #expect(priorities(stage.message(kind: .group)) == [.smallGroup])
    }

    @Test
    func `a device whose transport changes waits on the new channel, whatever halts the old one`() {
        var stage = Stage()
        stage.register(.phone)
        #expect(priorities(stage.message()) == [.direct])
        #expect(priorities(stage.register(.phone, [.fcm])) == [.direct])
    }
}
