import Testing

@testable import Domain

/// The push that tells a device which rings, and has no connection, that the call is over.
@Suite struct CallEndPushTests {
    /// Rung by FCM: the provider has accepted.
    private func rung(_ transports: [Transport] = [.fcm]) -> Stage {
        var stage = Stage()
        stage.register(.phone, transports)
        stage.call("k-1")
        stage.answerCall(.phone, stage.buildCall(.phone).request, .accepted)
        return stage
    }

    private func end(of draft: PushDraft?) -> CallEndDraft? {
        if case .callCancelled(let end)? = draft?.content { end } else { nil }
    }

    @discardableResult
    private func cancel(_ stage: inout Stage) -> [UserAction] {
        stage.user.callCancelled(CallID("k-1"), reason: "hung_up", at: stage.moment)
    }

    @Test func `a call that is cancelled stops ringing where FCM has made it ring`() {
        var stage = rung()
        #expect(cancel(&stage).callsQueued == [.fcm])
        let built = stage.buildCall(.phone)
        #expect(end(of: built.draft) == CallEndDraft(callID: CallID("k-1"), reason: "hung_up"))
        #expect(built.draft?.expiresAt == stage.user.calls[CallID("k-1")]?.call.expiresAt)
        #expect(!stage.user.isIdle)
        let answered = stage.answerCall(.phone, built.request, .accepted)
        #expect(answered.callsQueued == [] && answered.ringEnds == [])
        #expect(stage.buildCall(.phone).draft == nil)
        #expect(stage.user.isIdle)
    }

    @Test func `who answers elsewhere stops it, too, and is told nothing itself`() {
        var stage = Stage()
        stage.register(.phone, [.fcm])
        stage.register(.tablet, [.fcm])
        stage.call("k-1")
        for device in [DeviceID.phone, .tablet] {
            stage.answerCall(device, stage.buildCall(device).request, .accepted)
        }
        stage.connect(.phone, 1)
        let answered = stage.user.callAnswered(
            .phone, ConnectionID(1), CallID("k-1"), at: stage.moment)
        #expect(answered?.callsQueued == [.fcm])
        #expect(stage.buildCall(.phone).draft == nil)
        #expect(end(of: stage.buildCall(.tablet).draft)?.reason == "answered_elsewhere")
    }

    @Test(arguments: [[Transport.apnsVoIP], [.apns, .apnsVoIP], [.apnsVoIP, .fcm]])
    func `nothing but a call goes to a device that rings by VoIP`(_ transports: [Transport]) {
        var stage = rung(transports)
        #expect(cancel(&stage).callsQueued == [])
        #expect(stage.buildCall(.phone).draft == nil)
    }

    @Test func `what was never rung, and what expires by itself, is told nothing`() {
        var early = Stage()
        early.register(.phone, [.fcm])
        early.call("k-1")
        #expect(cancel(&early).callsQueued == [])
        #expect(early.buildCall(.phone).draft == nil)
        var late = rung()
        #expect(late.pass(30_000).callsQueued == [])
        #expect(late.buildCall(.phone).draft == nil)
    }

    @Test func `what is with the provider when the call ends is told once it has come through`() {
        var stage = Stage()
        stage.register(.phone, [.fcm])
        stage.call("k-1")
        let ring = stage.buildCall(.phone)
        #expect(cancel(&stage).callsQueued == [])
        #expect(stage.answerCall(.phone, ring.request, .accepted).callsQueued == [.fcm])
        #expect(end(of: stage.buildCall(.phone).draft) != nil)
    }

    @Test func `a request whose fate is not known may have rung`() {
        var stage = Stage()
        stage.register(.phone, [.fcm])
        stage.call("k-1")
        // It waits for its turn again, and keeps its place for what there is to say now.
        #expect(
            stage.answerCall(.phone, stage.buildCall(.phone).request, .channelFault).callsQueued == [.fcm])
        cancel(&stage)
        #expect(end(of: stage.buildCall(.phone).draft) != nil)
    }

    @Test func `a phone that has come for the call hears it over its connection`() {
        var stage = rung()
        stage.pass(500)
        stage.connect(.phone, 1)
        let told = cancel(&stage)
        #expect(told.told == [ConnectionID(1)] && told.callsQueued == [])
        var waiting = rung()
        cancel(&waiting)
        waiting.pass(500)
        #expect(waiting.connect(.phone, 1).told == [ConnectionID(1)])
        #expect(waiting.buildCall(.phone).draft == nil)
    }

    @Test func `a connection that was deaf to the call is not trusted with its end`() {
        var stage = Stage()
        stage.register(.phone, [.fcm])
        stage.connect(.phone, 1)
        stage.call("k-1")
        stage.pass(1_000)
        stage.answerCall(.phone, stage.buildCall(.phone).request, .accepted)
        let told = cancel(&stage)
        #expect(told.told == [ConnectionID(1)] && told.callsQueued == [.fcm])
    }

    @Test func `a phone that rings by the frame, and has lost its connection, is told by the push`() {
        var stage = Stage()
        stage.register(.phone, [.fcm])
        stage.connect(.phone, 1)
        stage.call("k-1")
        _ = stage.user.callApplied(.phone, CallID("k-1"), at: stage.moment)
        _ = stage.user.closed(ConnectionID(1), .gone, at: stage.moment)
        #expect(cancel(&stage).callsQueued == [.fcm])
        #expect(end(of: stage.buildCall(.phone).draft) != nil)
    }

    @Test func `it is tried again while the call would ring, and no longer`() {
        var stage = rung()
        cancel(&stage)
        let first = stage.buildCall(.phone)
        stage.answerCall(.phone, first.request, .retry(afterMilliseconds: 5_000), jitter: 0)
        #expect(stage.buildCall(.phone).draft == nil)
        #expect(stage.user.nextDeadline == stage.moment.instant + 5_000)
        #expect(stage.pass(5_000).callsQueued == [.fcm])
        let second = stage.buildCall(.phone)
        #expect(end(of: second.draft) != nil)
        stage.answerCall(.phone, second.request, .retry(afterMilliseconds: 60_000), jitter: 0)
        stage.pass(30_000)
        #expect(stage.buildCall(.phone).draft == nil)
        #expect(stage.user.calls.legs.isEmpty)
    }

    @Test func `a dead token goes, and with it the duty`() {
        var stage = rung()
        cancel(&stage)
        let built = stage.buildCall(.phone)
        stage.answerCall(.phone, built.request, .tokenDead(since: nil))
        #expect(stage.user.device(.phone)?.tokens == [])
        #expect(stage.buildCall(.phone).draft == nil)
    }

    @Test func `after a crash what has rung before is told of the end`() {
        var stage = Stage()
        stage.register(.phone, [.fcm])
        let ring = User.RecoveredRing(
            device: stage.key(.phone), attempts: 0, chargedDay: nil, state: .over(CallRing.End(.notified)))
        let legs = [User.RecoveredLeg(call: stage.makeCall("k-1"), rings: [ring])]
        _ = stage.user.recoveredCalls(legs, at: stage.moment)
        #expect(cancel(&stage).callsQueued == [.fcm])
        #expect(end(of: stage.buildCall(.phone).draft) != nil)
    }
}
