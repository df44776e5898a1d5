import Domain
import Testing

struct PushDraftTests {
    @Test func `only a call goes over VoIP, and no call, nor its end, over APNs' alerts`() {
        for kind in PushKind.allCases {
            #expect(Transport.apnsVoIP.carries(kind) == (kind == .call))
            #expect(Transport.apns.carries(kind) == (kind != .call && kind != .callCancelled))
            #expect(Transport.fcm.carries(kind))
            #expect(Transport.webPush.carries(kind) == (kind == .alert))
        }
    }

    @Test func `a call can be made for a VoIP token and for FCM`() {
        #expect(Self.draft(Self.call, .apnsVoIP).kind == .call)
        #expect(Self.draft(Self.call, .fcm).priority == .mention)
    }

    private static let call = PushDraft.Content.call(
        CallDraft(
            callID: CallID("call-1"), callerUser: UserID("alice"), expiresAt: WallTime(milliseconds: 2_000)))

    private static func draft(_ content: PushDraft.Content, _ transport: Transport) -> PushDraft {
        PushDraft(
            device: .phone,
            token: TokenDigest(
                key: TokenKey(1), transport: transport, environment: .production,
                registeredAt: WallTime(milliseconds: 0)),
            content: content, badge: 1, badgeRevision: 1, expiresAt: WallTime(milliseconds: 2_000),
            locale: nil)
    }
}
