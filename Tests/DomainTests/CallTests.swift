import Testing

@testable import Domain

/// What rings, when, and how it ends.
@Suite struct CallTests {
    @Test func `an offline device is pushed at once, by VoIP before FCM`() {
        var stage = Stage()
        stage.register(.phone, [.apns, .fcm, .apnsVoIP])
        let actions = stage.call("k-1")
        #expect(actions.callsQueued == [.apnsVoIP])
        let draft = stage.buildCall(.phone).draft
        #expect(draft?.kind == .call && draft?.token.transport == .apnsVoIP)
        guard case .call(let call)? = draft?.content else {
            Issue.record("no call was built")
            return
        }
        #expect(call.callID == CallID("k-1") && call.callerUser == UserID("ann"))
        #expect(call.expiresAt == stage.moment.wall + 30_000)
        #expect(stage.call("k-1", again: true) == [])
    }

    @Test func `without a VoIP token FCM makes the device ring`() {
        var stage = Stage()
        stage.register(.phone, [.fcm])
        #expect(stage.call("k-1").callsQueued == [.fcm])
        #expect(stage.buildCall(.phone).draft?.token.transport == .fcm)
    }

    @Test(arguments: [[], [.apns], [.webPush], [.apns, .webPush]] as [[Transport]])
    func `a device with nothing that can ring gets no push, and a reason`(_ transports: [Transport]) {
        var stage = Stage()
        stage.register(.phone, transports)
        let actions = stage.call("k-1")
        #expect(actions.callsQueued == [])
        #expect(actions.ringEnds == [CallRing.End(.suppressed, .noCallToken)])
        #expect(stage.user.calls[CallID("k-1")]?.deviceCount == 0)
        #expect(stage.buildCall(.phone).draft == nil)
    }

    @Test func `a call is no alert: it is neither muted nor counted, and makes no task`() {
        var stage = Stage()
        stage.register(.phone, [.apns, .apnsVoIP])
        let actions = stage.call("k-1")
        #expect(actions.tasksMade == 0 && stage.user.head == 0)
        #expect(stage.build(.phone).draft == nil)
    }

    @Test func `a connected device is told by a frame and pushed when the grace is over`() {
        var stage = Stage()
        stage.register(.phone, [.apnsVoIP])
        stage.connect(.phone, 1)
        let actions = stage.call("k-1")
        #expect(actions.rung == [ConnectionID(1)] && actions.callsQueued == [])
        #expect(stage.pass(999).callsQueued == [])
        #expect(stage.pass(1).callsQueued == [.apnsVoIP])
    }

    @Test func `what is applied within the grace is not pushed`() {
        var stage = Stage()
        stage.register(.phone, [.apnsVoIP])
        stage.connect(.phone, 1)
        stage.call("k-1")
        let applied = stage.user.callApplied(.phone, CallID("k-1"), at: stage.moment)
        #expect(applied.ringEnds == [CallRing.End(.applied)])
        #expect(stage.pass(5_000).callsQueued == [])
        #expect(stage.user.callApplied(.phone, CallID("k-1"), at: stage.moment) == [])
    }

    @Test func `a connection that closes before applying is no reason to wait`() {
        var stage = Stage()
        stage.register(.phone, [.apnsVoIP])
        stage.connect(.phone, 1)
        stage.call("k-1")
        let closed = stage.user.closed(ConnectionID(1), .gone, at: stage.moment)
        #expect(closed.callsQueued == [.apnsVoIP])
    }

    @Test func `a drain keeps the grace`() {
        var stage = Stage()
        stage.register(.phone, [.apnsVoIP])
        stage.connect(.phone, 1)
        stage.call("k-1")
        #expect(stage.user.closed(ConnectionID(1), .drained, at: stage.moment).callsQueued == [])
        #expect(stage.pass(1_000).callsQueued == [.apnsVoIP])
    }

    @Test func `a device that catches up is told after it, and its grace runs all the same`() {
        var stage = Stage()
        stage.register(.phone, [.apnsVoIP])
        stage.message()
        stage.connect(.phone, 1)
        #expect(stage.call("k-1").rung == [])
        #expect(stage.pass(1_000).callsQueued == [.apnsVoIP])
        #expect(stage.user.caughtUp(ConnectionID(1)).rung == [ConnectionID(1)])
    }

    @Test func `a device that connects is told what still rings; its push stays due until it applies`() {
        var stage = Stage()
        stage.register(.phone, [.apnsVoIP])
        stage.call("k-1")
        stage.now += 500
        #expect(stage.connect(.phone, 1).rung == [ConnectionID(1)])
        #expect(stage.user.calls.nextDue(stage.key(.phone)) != nil)
        let applied = stage.user.callApplied(.phone, CallID("k-1"), at: stage.moment)
        #expect(applied.ringEnds == [CallRing.End(.applied)])
        #expect(stage.buildCall(.phone).draft == nil)
    }

    @Test func `answered on one device, the others stop ringing and what was not sent is not`() {
        var stage = Stage()
        stage.register(.phone, [.apnsVoIP])
        stage.register(.tablet, [.apnsVoIP])
        stage.connect(.phone, 1)
        stage.connect(.desk, 3)
        stage.call("k-1")
        let answered = stage.user.callAnswered(.phone, ConnectionID(1), CallID("k-1"), at: stage.moment)
        let actions = answered ?? []
        #expect(actions.told == [ConnectionID(3)])
        #expect(actions.reasonsTold == ["answered_elsewhere"])
        #expect(actions.ringEnds.contains(CallRing.End(.applied)))
        #expect(actions.ringEnds.count { $0 == CallRing.End(.cancelled, .answeredElsewhere) } == 2)
        #expect(stage.buildCall(.tablet).draft == nil)
        #expect(stage.user.calls[CallID("k-1")]?.state == .answered(by: .phone))
    }

    @Test func `who answers second is told so, who answers twice is not`() {
        var stage = Stage()
        stage.connect(.phone, 1)
        stage.connect(.tablet, 2)
        stage.call("k-1")
        _ = stage.user.callAnswered(.phone, ConnectionID(1), CallID("k-1"), at: stage.moment)
        let second = stage.user.callAnswered(.tablet, ConnectionID(2), CallID("k-1"), at: stage.moment)
        #expect(second?.told == [ConnectionID(2)])
        let twice = stage.user.callAnswered(.phone, ConnectionID(1), CallID("k-1"), at: stage.moment)
        #expect(twice == [])
        #expect(stage.user.callAnswered(.phone, ConnectionID(1), CallID("k-9"), at: stage.moment) == nil)
    }

    @Test func `the backend's word ends the call everywhere, once`() {
        var stage = Stage()
        stage.register(.phone, [.apnsVoIP])
        stage.connect(.tablet, 2)
        stage.call("k-1")
        let actions = stage.user.callCancelled(CallID("k-1"), reason: "hung_up", at: stage.moment)
        #expect(actions.told == [ConnectionID(2)] && actions.reasonsTold == ["hung_up"])
        #expect(actions.ringEnds == Array(repeating: CallRing.End(.cancelled, .callCancelled), count: 2))
        #expect(stage.buildCall(.phone).draft == nil)
        #expect(stage.user.callCancelled(CallID("k-1"), reason: "again", at: stage.moment) == [])
    }

    @Test func `a call that was cancelled before it came here does not ring`() {
        var stage = Stage()
        stage.register(.phone, [.apnsVoIP])
        let actions = stage.user.callArrived(stage.makeCall("k-1"), cancelled: "hung_up", at: stage.moment)
        #expect(actions.callsQueued == [] && actions.rung == [])
        #expect(stage.user.calls[CallID("k-1")]?.state == .cancelled(reason: "hung_up"))
    }

    @Test func `at its ttl the call ends, what is left is dropped, and is forgotten`() {
        var stage = Stage()
        stage.register(.phone, [.apnsVoIP])
        stage.connect(.tablet, 2)
        stage.call("k-1", ttlSeconds: 5)
        stage.pass(4_999)
        #expect(stage.user.calls[CallID("k-1")]?.state == .ringing)
        let actions = stage.pass(1)
        #expect(actions.reasonsTold == ["expired"])
        #expect(actions.ringEnds == [CallRing.End(.dropped, .expired)])
        #expect(stage.user.calls[CallID("k-1")] == nil)
        #expect(stage.buildCall(.phone).draft == nil)
    }

    @Test func `a call whose time is over before its turn is not built`() {
        var stage = Stage()
        stage.register(.phone, [.apnsVoIP])
        stage.call("k-1", ttlSeconds: 5)
        stage.now += 5_000
        let built = stage.buildCall(.phone)
        #expect(built.draft == nil && built.actions.ringEnds == [CallRing.End(.dropped, .expired)])
    }

    @Test func `a device that was pushed and connects after the end is told of it`() {
        var stage = Stage()
        stage.register(.phone, [.apnsVoIP])
        stage.call("k-1")
        let built = stage.buildCall(.phone)
        stage.answerCall(.phone, built.request, .accepted)
        _ = stage.user.callCancelled(CallID("k-1"), reason: "hung_up", at: stage.moment)
        #expect(stage.connect(.phone, 1).reasonsTold == ["hung_up"])
        #expect(stage.connect(.tablet, 2).reasonsTold == [])
    }

    @Test func `a device that rang on a former connection is told of the end on its next`() {
        var stage = Stage()
        stage.register(.phone, [.webPush])
        stage.connect(.phone, 1)
        #expect(stage.call("k-1").rung == [ConnectionID(1)])
        _ = stage.user.closed(ConnectionID(1), .gone, at: stage.moment)
        _ = stage.user.callCancelled(CallID("k-1"), reason: "hung_up", at: stage.moment)
        #expect(stage.connect(.phone, 2).reasonsTold == ["hung_up"])
    }

    @Test func `more calls at once than a person can hear end at once`() {
        var stage = Stage()
        stage.register(.phone, [.apnsVoIP])
        for number in 0..<UserCalls.maximumRinging { stage.call("k-\(number)") }
        let actions = stage.call("k-last")
        #expect(actions.callsQueued == [])
        #expect(stage.user.calls[CallID("k-last")]?.state == .cancelled(reason: "too_many_calls"))
    }

    @Test func `calls that have ended do not pile up`() {
        var stage = Stage()
        for number in 0..<500 {
            stage.call("k-\(number)")
            _ = stage.user.callCancelled(CallID("k-\(number)"), reason: "x", at: stage.moment)
        }
        #expect(stage.user.calls.legs.count <= UserCalls.maximumEnded + 1)
    }

    @Test func `a user with a call that rings stays in memory`() {
        var stage = Stage()
        stage.register(.phone, [.apns])
        #expect(stage.user.isIdle)
        stage.call("k-1")
        #expect(!stage.user.isIdle)
        stage.pass(30_000)
        #expect(stage.user.isIdle)
    }
}
