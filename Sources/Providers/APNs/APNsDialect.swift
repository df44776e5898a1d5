import Domain
import Engine
import EventLoop
import HTTP
import Wire

/// How one tenant speaks to one environment of APNs.
final class APNsDialect: ProviderDialect {
    let endpoint: ProviderEndpoint
    /// Apple allows one stream until a valid token was shown.
    let initialStreams = 1
    private let tenant: TenantKey
    private let topics: Set<String>
    private let source: APNsTokenSource
    private let tokens: any TokenSealing
    private let secrets: any SecretSealing
    private var alerts = ShownCache()
    private var headers = HTTP2Headers()
    private let prefix: HTTP2Headers.Mark
    /// The fields that stay as long as the provider token does.
    private var kept: [Announcement: HTTP2Headers] = [:]
    /// Those of the push before, which are most often those of the next.
    private var last: (announcement: Announcement, fields: HTTP2Headers)?
    private var keptSince: WallTime?

    private struct Announcement: Hashable {
        let topic: String
        let form: APNsForm
    }

    init(
        tenant: TenantKey, credential: APNsCredential, endpoint: ProviderEndpoint, source: APNsTokenSource,
        tokens: any TokenSealing, secrets: any SecretSealing
    ) {
        self.tenant = tenant
        self.endpoint = endpoint
        self.source = source
        self.tokens = tokens
        self.secrets = secrets
        topics = Set(credential.topics)
        headers.append(.method, "POST")
        headers.append(.scheme, "https")
        headers.append(.authority, endpoint.authority)
        prefix = headers.mark
    }

    var isAuthorized: Bool { source.token != nil }
    var authorizedAt: WallTime? { source.token?.issuedAt }
    func authorize() { source.start() }
    func renewAuthorization() -> Bool { source.replace() }
    func stop() { source.stop() }

    func compose(_ request: PushRequest, isFirstOnConnection: Bool) -> Composition {
        guard let plain = tokens.open(request.token, tenant: tenant) else {
            return .refused(reason: "token_unreadable")
        }
        // The row is believed over the digest: nothing but a call leaves for a VoIP token.
        guard plain.transport.carries(request.draft.kind), case (let token, let topic)? = plain.apns else {
            return .refused(reason: "kind_not_carried")
        }
        guard let kept = keptFields(Announcement(topic: topic, form: APNsForm(request.draft))) else {
            return .refused(reason: "topic_not_configured")
        }
        let identity = PushIdentity(request, sealing: secrets)
        guard let body = APNsPayload.body(request.draft, alerts.shown(of: request.draft), identity) else {
            return .refused(reason: "payload_too_large")
        }
        headers.truncate(to: prefix)
        Self.fill(&headers, token: token, kept, identity, request, isFirst: isFirstOnConnection)
        return .request(headers, body: body)
    }

    /// Fields that are new in each request enter the header table once, for their names, and then no more:
    /// Apple's advice, and the table stays small.
    private static func fill(
        _ headers: inout HTTP2Headers, token: String, _ kept: HTTP2Headers, _ identity: PushIdentity,
        _ request: PushRequest, isFirst: Bool
    ) {
        let changing: HTTP2Indexing = isFirst ? .automatic : .neverIndexed
        headers.append(.path) { path in
            path += APNsField.pathPrefix
            path += token.utf8
        }
        headers.append(contentsOf: kept)
        headers.append(APNsField.id, indexing: changing) {
            PushIdentity.pushID(request).appendText(to: &$0)
        }
        headers.append(
            APNsField.expiration, integer: APNsForm.expiration(request.draft), indexing: changing)
        // Every call rings; there is nothing that the next one would replace.
        if request.draft.kind != .call {
            headers.append(APNsField.collapseID, identity.collapseID, indexing: changing)
        }
    }

    /// Nil: the topic is not the credential's.
    private func keptFields(_ announcement: Announcement) -> HTTP2Headers? {
        if keptSince != source.token?.issuedAt {
            kept = [:]
            last = nil
            keptSince = source.token?.issuedAt
        }
        if let last, last.announcement == announcement { return last.fields }
        guard topics.contains(announcement.topic) else { return nil }
        let fields = kept[announcement] ?? announced(announcement)
        kept[announcement] = fields
        last = (announcement, fields)
        return fields
    }

    private func announced(_ announcement: Announcement) -> HTTP2Headers {
        let form = announcement.form
        var fields = HTTP2Headers()
        fields.append(.authorization, source.token?.authorization ?? [], indexing: .neverIndexed)
        fields.append(APNsField.pushType, form.pushType)
        fields.append(APNsField.topic, form.topic(announcement.topic))
        fields.append(APNsField.priority, form.priority)
        return fields
    }

    func read(_ response: HTTP2Response) -> (judgement: Judgement, answer: ProviderAnswer) {
        let id = response.headers[APNsField.id].flatMap(AnswerWord.init)?.text ?? ""
        if response.status == 200 {
            return (Judgement(.accepted), ProviderAnswer(status: 200, reason: "", providerID: id))
        }
        let answer = APNsAnswer(
            status: response.status, retryAfter: response.headers[.retryAfter], body: response.body)
        return (
            APNsVerdict.judge(answer),
            ProviderAnswer(status: answer.status, reason: answer.reason, providerID: id)
        )
    }
}

/// The fields of an APNs request.
enum APNsField {
    static let id: HTTP2FieldName = "apns-id"
    static let pushType: HTTP2FieldName = "apns-push-type"
    static let topic: HTTP2FieldName = "apns-topic"
    static let priority: HTTP2FieldName = "apns-priority"
    static let expiration: HTTP2FieldName = "apns-expiration"
    static let collapseID: HTTP2FieldName = "apns-collapse-id"
    static let pathPrefix = Array("/3/device/".utf8)
}

extension PlainToken {
    /// What APNs knows a device by; nil for the tokens of others.
    fileprivate var apns: (token: String, topic: String)? {
        switch self {
        case .apns(let token, let topic, _), .apnsVoIP(let token, let topic, _): (token, topic)
        case .fcm, .webPush: nil
        }
    }
}
