import Testing

@testable import RouseLoadtest

@Suite struct CallCheckerTests {
    private static let sound: CallChecker.Evidence = {
        var ring = CallChecker.Ring()
        ring.callID = "c"
        ring.answeredAt = 1_000
        ring.pushes = [call(at: 1_100)]
        ring.expectedPushes = 1
        ring.frames = ["CALL"]
        ring.expectedFrames = ["CALL"]
        var evidence = CallChecker.Evidence()
        evidence.rings = [ring]
        evidence.voip = ring.pushes
        evidence.quotas = [(LoadDevice(user: 1), 3, 3)]
        return evidence
    }()

    private static func call(at time: Int64, kind: String = "call") -> ReceivedPush {
        var push = ReceivedPush(
            sequence: 1, token: "cc", apnsID: "", kind: kind, messageID: "", mailboxSeq: 0, badge: nil,
            receivedAt: time)
        push.callID = "c"
        push.form.pushType = "voip"
        push.form.topic = "com.example.app.voip"
        push.form.priority = "10"
        push.form.expiration = 0
        return push
    }

    private func has(_ kind: String, _ change: (inout CallChecker.Evidence) -> Void) -> Bool {
        var evidence = Self.sound
        change(&evidence)
        return CallChecker.findings(evidence).sentences.contains { $0.hasPrefix(kind) }
    }

    @Test func `a call that rings once, in its form and time, holds`() {
        #expect(CallChecker.findings(Self.sound).sentences == [])
    }

    @Test func `a ring too many, too few, too early or too late is found`() {
        #expect(has("a device did not ring as it must") { $0.rings[0].pushes = [] })
        #expect(has("a device did not ring as it must") { $0.rings[0].expectedPushes = 0 })
        #expect(has("a device rang at another time") { $0.rings[0].pushes[0] = Self.call(at: 9_000) })
        #expect(has("a device rang at another time") { $0.rings[0].delays = 800...3_000 })
    }

    @Test func `a frame that is missing, and a form that is not VoIP's, are found`() {
        #expect(has("a device was not told of a call") { $0.rings[0].frames = [] })
        #expect(has("a call's form is not its provider's") { $0.rings[0].pushes[0].form.expiration = 30 })
        #expect(has("a call's form is not its provider's") { $0.rings[0].pushes[0].form.members = ["alert"] })
    }

    @Test func `an alert on the call channel and a broken quota are found`() {
        #expect(
            has("something but a call came over the call channel") {
                $0.voip.append(Self.call(at: 1, kind: "alert"))
            })
        #expect(has("the daily quota is not kept") { $0.quotas[0].rung = 4 })
        #expect(has("nothing was looked at") { $0.rings = [] })
    }
}
