import Domain
import Engine
import EventLoop
import Simulator
import Testing
import Wire

@testable import Providers

struct APNsSenderTests {
    @Test func `a push arrives as composed and is reported accepted`() async throws {
        let rig = try Rig()
        try rig.start()
        let request = rig.request(1)
        rig.senders.send([request])
        let report = try #require(await rig.reporting.reports(1).first)
        #expect(report.request == request.id)
        #expect(report.verdict == .accepted)
        let push = try #require(rig.simulator.pushes().first)
        #expect(push.status == 200)
        #expect(push.apnsID == report.answer.providerID)
        #expect(push.apnsID == PushIdentity.pushID(request).text)
        #expect(push.badge == 3)
        #expect(push.headers["apns-topic"] == "com.example.app")
        #expect(push.headers["apns-push-type"] == "alert")
        #expect(push.headers["apns-expiration"] == "1900000000")
        #expect(push.headers["apns-collapse-id"] == push.payload?["aps"]?["thread-id"]?.string)
        #expect(push.payload?["aps"]?["alert"]?["body"]?.string == "See you at 8")
    }

    @Test func `one stream is used until the first answer and then a thousand`() async throws {
        let rig = try Rig()
        try rig.start()
        rig.senders.send((1...500).map { rig.request($0) })
        let reports = await rig.reporting.reports(500)
        #expect(reports.allSatisfy { $0.verdict == .accepted })
        #expect(Set(reports.map(\.request)).count == 500)
        #expect(rig.simulator.statistics.accepted == 500)
        await rig.reporting.window(Rig.apns) { $0 == 1_000 }
        #expect(rig.reporting.windows(Rig.apns).first == 1)
    }

    @Test func `a dead token is told with Apple's time`() async throws {
        let rig = try Rig()
        try rig.start()
        rig.simulator.script(
            "aa00", ScriptedAnswer(.respond(status: 410, reason: nil), timestamp: 1_700_000_000_123))
        rig.senders.send([rig.request(1)])
        let report = try #require(await rig.reporting.reports(1).first)
        #expect(report.verdict == .tokenDead(since: WallTime(milliseconds: 1_700_000_000_123)))
        #expect(report.answer.reason == "Unregistered")
    }

    @Test func `a bad token refuses the message and leaves the channel alone`() async throws {
        let rig = try Rig()
        try rig.start()
        rig.simulator.script("aa00", ScriptedAnswer(.respond(status: 400, reason: "BadDeviceToken")))
        rig.senders.send([rig.request(1), rig.request(2, token: "bb00")])
        let reports = await rig.reporting.reports(2)
        #expect(reports.first { $0.request.number == 1 }?.verdict == .rejected)
        #expect(reports.first { $0.request.number == 2 }?.verdict == .accepted)
        #expect(!rig.reporting.windows(Rig.apns).contains(0))
    }

    @Test func `too many requests to one device are told with the wait`() async throws {
        let rig = try Rig()
        try rig.start()
        rig.simulator.script(
            "aa00", ScriptedAnswer(.respond(status: 429, reason: nil), retryAfterSeconds: 7, times: 1))
        rig.senders.send([rig.request(1)])
        #expect(await rig.reporting.reports(1).first?.verdict == .retry(afterMilliseconds: 7_000))
    }

    @Test func `a server fault pauses the channel and gives the push back`() async throws {
        let rig = try Rig()
        try rig.start()
        rig.simulator.script("aa00", ScriptedAnswer(.respond(status: 503, reason: nil), times: 1))
        rig.senders.send([rig.request(1)])
        #expect(await rig.reporting.reports(1).first?.verdict == .channelFault)
        await rig.reporting.window(Rig.apns) { $0 > 0 }
        #expect(rig.reporting.windows(Rig.apns).contains(0))
        rig.senders.send([rig.request(1)])
        let reports = await rig.reporting.reports(2)
        #expect(reports.last?.verdict == .accepted)
        let pushes = rig.simulator.pushes()
        #expect(Set(pushes.map(\.apnsID)).count == 1)
    }

    @Test func `a GOAWAY under way loses nothing`() async throws {
        let rig = try Rig()
        try rig.start()
        rig.senders.send([rig.request(1)])
        _ = await rig.reporting.reports(1)
        rig.simulator.script("aa11", ScriptedAnswer(.goAway, times: 1))
        let requests = (2...200).map { rig.request($0, token: $0 == 50 ? "aa11" : "aa00") }
        rig.senders.send(requests)
        let reports = await rig.reporting.reports(200)
        #expect(reports.allSatisfy { $0.verdict == .accepted })
        #expect(Set(reports.map(\.request)).count == 200)
        #expect(rig.simulator.statistics.connections == 2)
    }

    @Test func `a refused stream is sent again once`() async throws {
        let rig = try Rig()
        try rig.start()
        rig.simulator.script("aa00", ScriptedAnswer(.refuse, times: 1))
        rig.simulator.script("bb00", ScriptedAnswer(.refuse, times: 2))
        rig.senders.send([rig.request(1), rig.request(2, token: "bb00")])
        let reports = await rig.reporting.reports(2)
        #expect(reports.first { $0.request.number == 1 }?.verdict == .accepted)
        #expect(reports.first { $0.request.number == 2 }?.verdict == .channelFault)
        #expect(reports.first { $0.request.number == 2 }?.answer.isUnheard == false)
    }

    @Test func `a connection cut under way gives back what is open`() async throws {
        let rig = try Rig()
        try rig.start()
        rig.senders.send([rig.request(1)])
        _ = await rig.reporting.reports(1)
        rig.simulator.script("aa11", ScriptedAnswer(.close, times: 1))
        rig.simulator.script("aa22", ScriptedAnswer(.silent, times: 1))
        rig.senders.send([rig.request(2, token: "aa22"), rig.request(3, token: "aa11")])
        let reports = await rig.reporting.reports(3)
        #expect(reports.dropFirst().allSatisfy { $0.verdict == .channelFault && $0.answer.isUnheard })
        rig.senders.send([rig.request(2, token: "aa22"), rig.request(3, token: "aa11")])
        #expect(await rig.reporting.reports(5).suffix(2).allSatisfy { $0.verdict == .accepted })
    }

    @Test func `an unreadable token and a foreign topic never leave the house`() async throws {
        let rig = try Rig()
        try rig.start()
        let foreign = rig.request(2)
        let token = SealedToken(
            digest: foreign.token.digest, sealed: foreign.token.sealed, keyID: "k", lookup: [],
            topic: "com.other")
        rig.senders.send([
            rig.request(1, token: ""),
            PushRequest(
                id: foreign.id, channel: foreign.channel, tenant: foreign.tenant, user: foreign.user,
                draft: foreign.draft, token: token, fcmForm: .data),
        ])
        let reports = await rig.reporting.reports(2)
        #expect(reports.map(\.verdict) == [.rejected, .rejected])
        #expect(reports.map(\.answer.reason) == ["token_unreadable", "topic_not_configured"])
        #expect(rig.simulator.statistics.received == 0)
    }

    @Test func `nothing is handed over past the lease`() async throws {
        let rig = try Rig()
        try rig.start()
        rig.reporting.mayHandOver = false
        rig.senders.send([rig.request(1)])
        let report = try #require(await rig.reporting.reports(1).first)
        #expect(report.verdict == .channelFault)
        #expect(rig.simulator.statistics.received == 0)
    }
}
