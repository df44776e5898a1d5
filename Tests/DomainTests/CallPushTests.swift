import Testing

@testable import Domain

/// The push of a call: its slot, its quota, its retries, its token.
@Suite struct CallPushTests {
    @Test func `a call never waits behind an alert in flight to the same device`() {
        var stage = Stage()
        stage.register(.phone, [.fcm])
        stage.message()
        #expect(stage.build(.phone).draft?.kind == .alert)
        #expect(stage.call("k-1").callsQueued == [.fcm])
        #expect(stage.buildCall(.phone).draft?.kind == .call)
    }

    @Test func `of two calls one is in flight; the next is built after its outcome`() {
        var stage = Stage()
        stage.register(.phone, [.apnsVoIP])
        stage.call("k-1")
        #expect(stage.call("k-2").callsQueued == [])
        let first = stage.buildCall(.phone)
        #expect(stage.buildCall(.phone).draft == nil)
        #expect(stage.answerCall(.phone, first.request, .accepted).callsQueued == [.apnsVoIP])
        guard case .call(let second)? = stage.buildCall(.phone).draft?.content else {
            Issue.record("the second call was not built")
            return
        }
        #expect(second.callID == CallID("k-2"))
    }

    @Test func `a request whose ring has ended meanwhile is waited for after a reload, too`() {
        var stage = Stage()
        stage.register(.phone, [.apnsVoIP])
        let rings = [
            (stage.makeCall("k-1"), User.RecoveredRing.State.over(CallRing.End(.applied))),
            (stage.makeCall("k-2"), .due),
        ]
        let legs = rings.map { call, state in
            User.RecoveredLeg(
                call: call,
                rings: [
                    User.RecoveredRing(
                        device: stage.key(.phone), attempts: 0, chargedDay: nil, state: state)
                ])
        }
        let flying: [UInt64: DeviceKey] = [7: stage.key(.phone)]
        let recovered = stage.user.recoveredCalls(legs, flying: flying, at: stage.moment)
        #expect(recovered.callsQueued == [])
        #expect(stage.buildCall(.phone).draft == nil)
        #expect(stage.answerCall(.phone, 7, .accepted).callsQueued == [.apnsVoIP])
        #expect(stage.buildCall(.phone).draft != nil)
    }

    @Test func `the day's quota is taken before the push can leave, and what is above it is dropped`() {
        var stage = Stage { $0.rtcVoIPPushDailyQuota = 2 }
        stage.register(.phone, [.apnsVoIP])
        for number in 1...2 {
            #expect(stage.call("k-\(number)").counts == [number])
            stage.answerCall(.phone, stage.buildCall(.phone).request, .accepted)
        }
        let over = stage.call("k-3")
        #expect(over.callsQueued == [] && over.counts == [])
        #expect(over.ringEnds == [CallRing.End(.dropped, .quotaExceeded)])
        stage.pass(86_400_000)
        #expect(stage.call("k-4").counts == [1])
    }

    @Test func `the quota is each device's own, and FCM has none`() {
        var stage = Stage { $0.rtcVoIPPushDailyQuota = 1 }
        stage.register(.phone, [.apnsVoIP])
        stage.register(.tablet, [.apnsVoIP])
        stage.register(.desk, [.fcm])
        #expect(stage.call("k-1").callsQueued == [.apnsVoIP, .apnsVoIP, .fcm])
        for device in [DeviceID.phone, .tablet, .desk] {
            stage.answerCall(device, stage.buildCall(device).request, .accepted)
        }
        #expect(stage.call("k-2").callsQueued == [.fcm])
    }

    @Test func `what never left gives its part of the quota back, what left does not`() {
        var stage = Stage { $0.rtcVoIPPushDailyQuota = 1 }
        stage.register(.phone, [.apnsVoIP])
        stage.call("k-1")
        let cancelled = stage.user.callCancelled(CallID("k-1"), reason: "x", at: stage.moment)
        #expect(cancelled.counts == [0])
        stage.call("k-2")
        let built = stage.buildCall(.phone)
        stage.answerCall(.phone, built.request, .channelFault)
        #expect(stage.user.callCancelled(CallID("k-2"), reason: "x", at: stage.moment).counts == [])
        #expect(stage.call("k-3").ringEnds == [CallRing.End(.dropped, .quotaExceeded)])
    }

    @Test func `a push that has become VoIP meanwhile takes its part of the quota before it leaves`() {
        var stage = Stage()
        stage.register(.phone, [.fcm])
        stage.call("k-1")
        let first = stage.buildCall(.phone)
        stage.register(.phone, [.fcm, .apnsVoIP])
        stage.answerCall(.phone, first.request, .channelFault)
        let charged = stage.buildCall(.phone)
        #expect(charged.draft == nil)
        #expect(charged.actions.counts == [1])
        // On another channel, too, it has no turn before that.
        #expect(stage.buildCall(.phone).draft == nil)
        #expect(stage.pass(0).callsQueued == [.apnsVoIP])
        let second = stage.buildCall(.phone)
        #expect(second.draft?.token.transport == .apnsVoIP)
        #expect(second.actions.counts == [])
    }

    @Test func `the quota survives: what is stored is what is counted on`() {
        var stage = Stage { $0.rtcVoIPPushDailyQuota = 5 }
        stage.register(.phone, [.apnsVoIP])
        let today = VoIPCount.day(of: stage.moment.wall)
        stage.user.recoveredCounts([stage.key(.phone): VoIPCount(day: today, used: 5)])
        #expect(stage.call("k-1").ringEnds == [CallRing.End(.dropped, .quotaExceeded)])
        stage.user.recoveredCounts([stage.key(.phone): VoIPCount(day: today - 1, used: 5)])
        #expect(stage.call("k-2").counts == [1])
    }

    @Test(arguments: [(0, 0), (86_399_999, 0), (86_400_000, 1), (-1, -1)] as [(Int64, Int64)])
    func `a day is a UTC day`(_ milliseconds: Int64, _ day: Int64) {
        #expect(VoIPCount.day(of: WallTime(milliseconds: milliseconds)) == day)
    }

    @Test func `a retry is short, charges nothing more, and never passes the end of the call`() {
        var stage = Stage()
        stage.register(.phone, [.apnsVoIP])
        stage.call("k-1", ttlSeconds: 4)
        let first = stage.buildCall(.phone)
        let again = stage.answerCall(.phone, first.request, .retry(afterMilliseconds: nil), jitter: 1)
        #expect(again.ringEnds == [] && again.counts == [])
        #expect(stage.pass(999).callsQueued == [])
        #expect(stage.pass(1).callsQueued == [.apnsVoIP])
        let second = stage.buildCall(.phone)
        #expect(second.draft?.content == first.draft?.content)
        let late = stage.answerCall(.phone, second.request, .retry(afterMilliseconds: 3_000), jitter: 0)
        #expect(late.ringEnds == [CallRing.End(.dropped, .expired)])
    }

    @Test func `a call is given up after the last attempt`() {
        var stage = Stage { $0.pushRetryMaxAttempts = 1 }
        stage.register(.phone, [.apnsVoIP])
        stage.call("k-1")
        let actions = stage.answerCall(
            .phone, stage.buildCall(.phone).request, .retry(afterMilliseconds: nil))
        #expect(actions.ringEnds == [CallRing.End(.dropped, .attemptsExhausted)])
    }

    @Test func `a fault of the channel burns no attempt`() {
        var stage = Stage { $0.pushRetryMaxAttempts = 1 }
        stage.register(.phone, [.apnsVoIP])
        stage.call("k-1")
        for _ in 0..<10 {
            let built = stage.buildCall(.phone)
            #expect(stage.answerCall(.phone, built.request, .channelFault).callsQueued == [.apnsVoIP])
        }
    }

    @Test func `a dead VoIP token goes, alone, and FCM takes over`() {
        var stage = Stage()
        stage.register(.phone, [.apns, .apnsVoIP, .fcm])
        stage.message()
        stage.call("k-1")
        let dead = stage.answerCall(.phone, stage.buildCall(.phone).request, .tokenDead(since: nil))
        #expect(dead.callsQueued == [.fcm] && dead.ends == [])
        #expect(stage.user.device(.phone)?.tokens.map(\.transport) == [.apns, .fcm])
        #expect(stage.build(.phone).draft?.token.transport == .apns)
    }

    @Test func `the last token that can ring takes the call with it`() {
        var stage = Stage()
        stage.register(.phone, [.apns, .apnsVoIP])
        stage.call("k-1")
        stage.call("k-2")
        let dead = stage.answerCall(.phone, stage.buildCall(.phone).request, .tokenDead(since: nil))
        #expect(dead.ringEnds == Array(repeating: CallRing.End(.dropped, .tokenDead), count: 2))
        #expect(stage.user.device(.phone)?.isWakeable == true)
    }

    @Test func `a token registered after the provider's verdict stays`() {
        var stage = Stage()
        stage.register(.phone, [.apnsVoIP])
        stage.call("k-1")
        let before = stage.moment.wall + -60_000
        let actions = stage.answerCall(
            .phone, stage.buildCall(.phone).request, .tokenDead(since: before))
        #expect(actions.ringEnds == [CallRing.End(.dropped, .rejected)])
        #expect(stage.user.device(.phone)?.tokens.count == 1)
    }

    @Test func `what came while the request was away is settled by its outcome`() {
        var stage = Stage()
        stage.register(.phone, [.apnsVoIP])
        for (verdict, end) in [
            (.accepted, CallRing.End(.notified)), (.channelFault, CallRing.End(.cancelled, .callCancelled)),
            (.rejected, CallRing.End(.cancelled, .callCancelled)),
            (.retry(afterMilliseconds: nil), CallRing.End(.cancelled, .callCancelled)),
        ] as [(PushVerdict, CallRing.End)] {
            stage.call("k-\(verdict)")
            let built = stage.buildCall(.phone)
            let id = CallID("k-\(verdict)")
            #expect(stage.user.callCancelled(id, reason: "x", at: stage.moment).ringEnds == [])
            #expect(stage.answerCall(.phone, built.request, verdict).ringEnds == [end])
        }
    }

    @Test func `an outcome that comes after the call's end is still recorded, and then all is quiet`() {
        var stage = Stage()
        stage.register(.phone, [.apnsVoIP])
        stage.call("k-1")
        let built = stage.buildCall(.phone)
        stage.pass(60_000)
        #expect(stage.user.nextDeadline == nil && !stage.user.isIdle)
        #expect(stage.answerCall(.phone, built.request, .accepted).ringEnds == [CallRing.End(.notified)])
        stage.pass(1)
        #expect(stage.user.isIdle && stage.user.calls.legs.isEmpty)
    }

    @Test func `signing out ends what rings there`() {
        var stage = Stage()
        stage.register(.phone, [.apnsVoIP])
        stage.call("k-1")
        let actions = stage.user.signedOut(.phone, .byDevice, at: stage.moment, keys: &stage.keys)
        #expect(actions.ringEnds == [CallRing.End(.dropped, .deviceRemoved)])
        #expect(stage.buildCall(.phone).draft == nil)
    }

    @Test func `a token registered anew is rung in place of the old`() {
        var stage = Stage()
        stage.register(.phone, [.apnsVoIP])
        stage.call("k-1")
        stage.register(.phone, [.fcm])
        #expect(stage.buildCall(.phone).draft?.token.transport == .fcm)
    }
}
