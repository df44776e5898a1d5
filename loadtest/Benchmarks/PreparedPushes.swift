import Domain
import Engine
import EventLoop
import Wire

/// Requests as the engine would hand them over: another token, user and message in each, tokens sealed.
struct PreparedPushes: Sendable {
    static let tenant = TenantKey(1)
    static let channel = ChannelID(tenant: tenant, transport: .apns, environment: .production)
    static let topic = LoadTenant.topic

    let requests: [PushRequest]

    init(count: Int, sealing: any TokenSealing) {
        let name = TenantID("load")
        let expiry = WallTime(milliseconds: WallClock.now() + 86_400_000)
        requests = (0..<count).map { number in
            let plain = PlainToken.apns(hex: LoadTenant.token(number), topic: Self.topic, .production)
            let sealed = sealing.seal(plain, tenant: Self.tenant)
            let digest = TokenDigest(
                key: TokenKey(Int64(number + 1)), transport: .apns, environment: .production,
                registeredAt: WallTime(milliseconds: 0))
            return PushRequest(
                id: RequestID(shard: 0, number: UInt64(number)), channel: Self.channel, tenant: name,
                user: UserID(LoadTenant.user(number % 1_000_000)),
                draft: Self.draft(number, digest, expiry),
                token: SealedToken(
                    digest: digest, sealed: sealed.sealed, keyID: sealed.keyID, lookup: sealed.lookup,
                    topic: Self.topic),
                fcmForm: .notification)
        }
    }

    private static func draft(_ number: Int, _ token: TokenDigest, _ expiry: WallTime) -> PushDraft {
        let id = MessageID(RequestTemplate.messageID(number))
        let message = Message(
            key: MessageKey(Int64(number + 1)), id: id,
            conversation: Message.Conversation(
                id: ConversationID("c-" + Digits.text(number, width: 10)), kind: .direct),
            sender: Message.Sender(user: UserID("alice"), name: "Alice"), notification: notification)
        let alert = AlertDraft(
            oldestMessage: id, message: message, mention: .none, mailboxSeq: 120, count: 1, priority: .direct)
        return PushDraft(
            device: DeviceID(LoadTenant.device), token: token, content: .alert(alert), badge: 3,
            badgeRevision: 120, expiresAt: expiry, locale: "en")
    }

    private static let notification = Array(
        (#"{"title":"Alice","body":"See you at eight, at the usual place?","sound":"default","#
            + #""category":"MSG"}"#).utf8)
}
