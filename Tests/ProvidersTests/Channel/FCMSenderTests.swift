import Domain
import Engine
import EventLoop
import Simulator
import Testing
import Wire

@testable import Providers

struct FCMSenderTests {
    @Test func `a push arrives with an access token fetched once`() async throws {
        let rig = try Rig()
        try rig.start(apns: false, fcm: true)
        rig.senders.send((1...150).map { rig.request($0, token: "fcm-\($0)", channel: Rig.fcm) })
        let reports = await rig.reporting.reports(150)
        #expect(reports.allSatisfy { $0.verdict == .accepted })
        #expect(reports.allSatisfy { $0.answer.providerID.hasPrefix("projects/demo-project/messages/") })
        #expect(rig.simulator.statistics.accessTokens == 1)
        let push = try #require(rig.simulator.pushes(token: "fcm-7").first)
        #expect(push.payload?["message"]?["data"]?["rouse_body"]?.string == "See you at 8")
    }

    @Test func `an unregistered token is dead`() async throws {
        let rig = try Rig()
        try rig.start(apns: false, fcm: true)
        rig.simulator.script("gone", ScriptedAnswer(.respond(status: 404, reason: "UNREGISTERED")))
        rig.senders.send([rig.request(1, token: "gone", channel: Rig.fcm)])
        let report = try #require(await rig.reporting.reports(1).first)
        #expect(report.verdict == .tokenDead(since: nil))
        #expect(report.answer.reason == "UNREGISTERED")
    }

    @Test func `a revoked access token is fetched anew and the push goes out again`() async throws {
        let rig = try Rig()
        try rig.start(apns: false, fcm: true)
        rig.senders.send([rig.request(1, token: "t", channel: Rig.fcm)])
        _ = await rig.reporting.reports(1)
        rig.simulator.revokeAccessTokens()
        rig.senders.send([rig.request(2, token: "t", channel: Rig.fcm)])
        #expect(await rig.reporting.reports(2).last?.verdict == .channelFault)
        await rig.reporting.window(Rig.fcm) { $0 > 0 }
        rig.senders.send([rig.request(2, token: "t", channel: Rig.fcm)])
        #expect(await rig.reporting.reports(3).last?.verdict == .accepted)
        #expect(rig.simulator.statistics.accessTokens == 2)
    }

    @Test func `a refused service account halts the channel`() async throws {
        let rig = try Rig()
        try rig.start(apns: false, fcm: true)
        rig.simulator.script("oauth", ScriptedAnswer(.respond(status: 400, reason: nil)))
        rig.senders.send([rig.request(1, token: "t", channel: Rig.fcm)])
        #expect(await rig.reporting.reports(1).first?.verdict == .channelFault)
        await rig.reporting.window(Rig.fcm) { $0 == 0 }
        #expect(rig.reporting.lastReason(Rig.fcm) == "invalid_grant")
    }
}
