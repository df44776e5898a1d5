import Domain
import Engine
import Testing
import Wire

@testable import Providers
@testable import Simulator

/// Every kind of push on its way to providers that judge it as the real ones do.
struct FormSenderTests {
    private static let voip = ChannelID(tenant: Rig.tenant, transport: .apnsVoIP, environment: .production)

    private static let call = PushDraft.Content.call(
        CallDraft(callID: CallID("call-1"), callerUser: UserID("alice"), expiresAt: Drafts.expiry))

    private static func quiet(mayExpireAtOnce: Bool = true, rendered: AlertDraft? = nil) -> PushDraft.Content
    {
        .cover(
            CoverDraft(
                conversation: ConversationID("c-1"), clear: [ConversationID("c-1"), ConversationID("c-2")],
                oldestMessage: MessageID("m-0"), rendered: rendered, mayExpireAtOnce: mayExpireAtOnce))
    }

    @Test func `APNs takes every kind and each comes as it is announced`() async throws {
        let rig = try Rig()
        try rig.start()
        let alert = Drafts().alert
        rig.senders.send([
            rig.request(1, token: "a1", content: .alert(alert)),
            rig.request(2, token: "a2", content: .wake(alert)),
            rig.request(3, token: "a3", content: Self.quiet()),
            rig.request(4, token: "a4", content: Self.quiet(mayExpireAtOnce: false, rendered: alert)),
            rig.request(5, token: "a5", content: .badge),
            rig.request(6, token: "a6", channel: Self.voip, content: Self.call),
        ])
        let reports = await rig.reporting.reports(6)
        #expect(reports.allSatisfy { $0.verdict == .accepted }, "\(reports)")
        func fields(_ token: String) -> [String] {
            let push = rig.simulator.pushes(token: token).first
            let names: [HTTP2FieldName] = [
                "apns-push-type", "apns-priority", "apns-expiration", "apns-topic",
            ]
            return names.map { push?.headers[$0] ?? "-" }
        }
        #expect(fields("a1") == ["alert", "10", "1900000000", "com.example.app"])
        #expect(fields("a2") == ["background", "5", "1900000000", "com.example.app"])
        #expect(fields("a3") == ["alert", "5", "0", "com.example.app"])
        #expect(fields("a4") == ["alert", "5", "1900000000", "com.example.app"])
        #expect(fields("a5") == ["alert", "5", "1900000000", "com.example.app"])
        #expect(fields("a6") == ["voip", "10", "0", "com.example.app.voip"])
    }

    @Test func `FCM takes every kind`() async throws {
        let rig = try Rig()
        try rig.start(apns: false, fcm: true)
        let alert = Drafts().alert
        let contents: [PushDraft.Content] = [
            .alert(alert), .wake(alert), Self.quiet(), Self.quiet(rendered: alert), .badge, Self.call,
        ]
        rig.senders.send(
            contents.enumerated().map {
                rig.request(UInt64($0.offset), token: "f\($0.offset)", channel: Rig.fcm, content: $0.element)
            })
        let reports = await rig.reporting.reports(contents.count)
        #expect(reports.allSatisfy { $0.verdict == .accepted }, "\(reports)")
    }

    @Test func `a cover goes under the alert's collapse id and a badge under its own`() async throws {
        let rig = try Rig()
        try rig.start()
        rig.senders.send([
            rig.request(1, token: "a1"), rig.request(2, token: "a2", content: Self.quiet()),
            rig.request(3, token: "a3", content: .badge),
        ])
        _ = await rig.reporting.reports(3)
        let ids = ["a1", "a2", "a3"].map {
            rig.simulator.pushes(token: $0).first?.headers["apns-collapse-id"] ?? ""
        }
        #expect(ids[0] == ids[1] && ids[0] != ids[2])
        #expect(ids.allSatisfy { $0.count == 32 })
        let clear = rig.simulator.pushes(token: "a2").first?.payload?["rouse"]?["clear"]
        #expect(clear?.elements.compactMap(\.string).first == ids[0])
    }

    @Test func `what the token's row does not carry never leaves`() async throws {
        let rig = try Rig()
        try rig.start()
        // The digest says alert, the row says VoIP; and the other way round.
        let pairs: [(PushDraft.Content, Transport, Transport)] = [
            (.badge, .apns, .apnsVoIP), (.alert(Drafts().alert), .apns, .apnsVoIP),
            (Self.call, .apnsVoIP, .apns),
        ]
        rig.senders.send(
            pairs.enumerated().map { number, pair in
                let draft = Drafts(transport: pair.1).draft(pair.0)
                return PushRequest(
                    id: RequestID(shard: 0, number: UInt64(number)),
                    channel: ChannelID(tenant: Rig.tenant, transport: pair.1, environment: .production),
                    tenant: TenantID("demo"), user: UserID("bob"), draft: draft,
                    token: SealedToken(
                        digest: Drafts(transport: pair.2).digest, sealed: Array("aa00".utf8), keyID: "k",
                        lookup: Array("aa00".utf8), topic: "com.example.app"),
                    fcmForm: .data)
            })
        let reports = await rig.reporting.reports(pairs.count)
        #expect(reports.allSatisfy { $0.verdict == .rejected && $0.answer.reason == "kind_not_carried" })
        #expect(rig.simulator.pushes().isEmpty)
    }
}
