import Domain
import Glibc
import Testing

struct PushDraftTests {
    @Test func `only a call goes over VoIP and no call over APNs' alerts`() {
        for kind in PushKind.allCases {
            #expect(Transport.apnsVoIP.carries(kind) == (kind == .call))
            #expect(Transport.apns.carries(kind) == (kind != .call))
            #expect(Transport.fcm.carries(kind))
            #expect(Transport.webPush.carries(kind) == (kind == .alert))
        }
    }

    @Test func `a badge for a VoIP token cannot be made`() async {
        await #expect(processExitsWith: .failure) {
            Self.endWithoutBacktrace()
            _ = Self.draft(.badge, .apnsVoIP)
        }
    }

    @Test func `a call for an alert token of APNs cannot be made`() async {
        await #expect(processExitsWith: .failure) {
            Self.endWithoutBacktrace()
            _ = Self.draft(Self.call, .apns)
        }
    }

    @Test func `a call can be made for a VoIP token and for FCM`() {
        #expect(Self.draft(Self.call, .apnsVoIP).kind == .call)
        #expect(Self.draft(Self.call, .fcm).priority == .mention)
    }

    /// A backtrace of a program of this size takes minutes, and this end is the one that is meant.
    private static func endWithoutBacktrace() {
        signal(SIGILL, SIG_DFL)
        signal(SIGTRAP, SIG_DFL)
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
