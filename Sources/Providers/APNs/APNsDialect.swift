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
    private var contents = ContentCache()
    private var headers = HTTP2Headers()
    private let prefix: HTTP2Headers.Mark
    /// By topic, the fields that stay as long as the provider token does.
    private var kept: [String: HTTP2Headers] = [:]
    private var keptSince: WallTime?

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
        guard case .apns(let token, let topic, _) = tokens.open(request.token, tenant: tenant) else {
            return .refused(reason: "token_unreadable")
        }
        guard topics.contains(topic) else { return .refused(reason: "topic_not_configured") }
        guard let alert = request.draft.alert else { return .refused(reason: "no_form") }
        let identity = PushIdentity(request, sealing: secrets)
        let content = contents.content(of: alert.message)
        guard
            let body = APNsPayload.body(
                request.draft, alert, content, collapseID: identity.collapseID,
                phrases: .of(locale: request.draft.locale))
        else { return .refused(reason: "payload_too_large") }
        fill(
            token: token, topic: topic, identity, expiresAt: request.draft.expiresAt,
            isFirst: isFirstOnConnection)
        return .request(headers, body: body)
    }

    /// Fields that are new in each request enter the header table once, for their names, and then no more:
    /// Apple's advice, and the table stays small.
    private func fill(
        token: String, topic: String, _ identity: PushIdentity, expiresAt: WallTime, isFirst: Bool
    ) {
        let changing: HTTP2Indexing = isFirst ? .automatic : .neverIndexed
        headers.truncate(to: prefix)
        headers.append(.path, APNsField.path(token: token))
        headers.append(contentsOf: keptFields(topic: topic))
        headers.append(APNsField.id, identity.id.textBytes, indexing: changing)
        headers.append(APNsField.expiration, integer: Int(expiresAt.milliseconds / 1_000), indexing: changing)
        headers.append(APNsField.collapseID, identity.collapseID, indexing: changing)
    }

    private func keptFields(topic: String) -> HTTP2Headers {
        if keptSince != source.token?.issuedAt {
            kept = [:]
            keptSince = source.token?.issuedAt
        }
        if let fields = kept[topic] { return fields }
        var fields = HTTP2Headers()
        fields.append(.authorization, source.token?.authorization ?? [], indexing: .neverIndexed)
        fields.append(APNsField.pushType, "alert")
        fields.append(APNsField.topic, topic)
        fields.append(APNsField.priority, "10")
        kept[topic] = fields
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
    private static let pathPrefix = Array("/3/device/".utf8)

    static func path(token: String) -> [UInt8] {
        var path: [UInt8] = []
        path.reserveCapacity(pathPrefix.count + token.utf8.count)
        path.append(contentsOf: pathPrefix)
        path.append(contentsOf: token.utf8)
        return path
    }
}
