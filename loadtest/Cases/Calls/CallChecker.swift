/// What must hold of calls: devices that are away ring at once, those that are there hear it first and ring
/// only if they do not answer in time; nothing but a call ever comes over the call channel. Pure.
enum CallChecker {
    /// What one device was told of a call.
    struct Ring: Sendable {
        var scene = ""
        var device = LoadDevice(user: 0)
        var callID = ""
        /// By its call channel: APNs' VoIP token, or FCM.
        var pushes: [ReceivedPush] = []
        var expectedPushes = 0
        /// From the call's answer to the push, in milliseconds: not before and not after.
        var delays: ClosedRange<Int64> = -1_000...2_000
        var answeredAt: Int64 = 0
        /// The types of the frames about this call, in their order.
        var frames: [String] = []
        var expectedFrames: [String] = []
    }

    struct Evidence: Sendable {
        var rings: [Ring] = []
        /// Of devices and the calls made to them: how many may ring in a day, and how many did.
        var quotas: [(device: LoadDevice, allowed: Int, rung: Int)] = []
        /// All that went to VoIP tokens.
        var voip: [ReceivedPush] = []
    }

    static func findings(_ evidence: Evidence) -> Findings {
        var found = Findings()
        if evidence.rings.isEmpty { found.add("nothing was looked at", "no ring") }
        for ring in evidence.rings {
            let text = "\(ring.scene), \(ring.device.transport), \(ring.device)"
            let calls = ring.pushes.filter { $0.kind == "call" && $0.callID == ring.callID && $0.isAccepted }
            if calls.count != ring.expectedPushes {
                found.add(
                    "a device did not ring as it must", "\(text): \(calls.count) of \(ring.expectedPushes)")
            }
            for call in calls where !ring.delays.contains(call.receivedAt - ring.answeredAt) {
                found.add(
                    "a device rang at another time", "\(text): after \(call.receivedAt - ring.answeredAt) ms")
            }
            if ring.frames != ring.expectedFrames {
                found.add(
                    "a device was not told of a call", "\(text): \(ring.frames) of \(ring.expectedFrames)")
            }
            for call in calls {
                for fault in faults(call) {
                    found.add("a call's form is not its provider's", "\(text): \(fault)")
                }
            }
        }
        for push in evidence.voip where push.kind != "call" || push.callID.isEmpty {
            found.add("something but a call came over the call channel", "\(push.kind) \(push.messageID)")
        }
        for quota in evidence.quotas where quota.allowed != quota.rung {
            found.add("the daily quota is not kept", "\(quota.device): \(quota.rung) of \(quota.allowed)")
        }
        return found
    }

    private static func faults(_ call: ReceivedPush) -> [String] {
        var faults: [String] = []
        let form = call.form
        switch form.provider {
        case .apns:
            if form.pushType != "voip" { faults.append("push type \(form.pushType)") }
            if form.topic != LoadTenant.topic + ".voip" { faults.append("topic \(form.topic)") }
            if form.priority != "10" { faults.append("priority \(form.priority)") }
            if form.expiration != 0 { faults.append("expiration \(form.expiration ?? -1)") }
            if !form.members.isEmpty { faults.append("aps has \(form.members.sorted())") }
        case .fcm:
            if form.isDrawn { faults.append("a notification that FCM draws") }
            if form.priority.uppercased() != "HIGH" { faults.append("priority \(form.priority)") }
        }
        return faults
    }
}
