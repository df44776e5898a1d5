import Domain
import Engine
import EventLoop
import HTTP
import Wire

/// How one tenant speaks to FCM.
final class FCMDialect: ProviderDialect {
    let endpoint: ProviderEndpoint
    /// Google's own limit; more brings GOAWAY.
    let initialStreams = 100
    private let tenant: TenantKey
    private let source: FCMTokenSource
    private let tokens: any TokenSealing
    private let secrets: any SecretSealing
    private var alerts = ShownCache()
    private var headers = HTTP2Headers()
    private let prefix: HTTP2Headers.Mark

    init(
        tenant: TenantKey, credential: FCMCredential, endpoint: ProviderEndpoint, source: FCMTokenSource,
        tokens: any TokenSealing, secrets: any SecretSealing
    ) {
        self.tenant = tenant
        self.endpoint = endpoint
        self.source = source
        self.tokens = tokens
        self.secrets = secrets
        headers.append(.method, "POST")
        headers.append(.scheme, "https")
        headers.append(.authority, endpoint.authority)
        headers.append(.path, "/v1/projects/\(credential.projectID)/messages:send")
        headers.append(.contentType, "application/json")
        prefix = headers.mark
    }

    var isAuthorized: Bool { source.token != nil }
    var authorizedAt: WallTime? { source.token?.issuedAt }
    func authorize() { source.fetch() }
    func stop() { source.stop() }

    func renewAuthorization() -> Bool {
        source.discard()
        source.fetch()
        return true
    }

    func compose(_ request: PushRequest, isFirstOnConnection: Bool) -> Composition {
        guard case .fcm(let token) = tokens.open(request.token, tenant: tenant) else {
            return .refused(reason: "token_unreadable")
        }
        guard
            let body = FCMMessage.body(
                request.draft, alerts.shown(of: request.draft), PushIdentity(request, sealing: secrets),
                for: FCMMessage.Target(
                    token: token, form: request.fcmForm, now: WallTime(milliseconds: WallClock.now())))
        else { return .refused(reason: "payload_too_large") }
        headers.truncate(to: prefix)
        headers.append(.authorization, source.token?.authorization ?? [], indexing: .neverIndexed)
        return .request(headers, body: body)
    }

    func read(_ response: HTTP2Response) -> (judgement: Judgement, answer: ProviderAnswer) {
        let answer = FCMAnswer(
            status: response.status, retryAfter: response.headers[.retryAfter], body: response.body)
        return (
            FCMVerdict.judge(answer),
            ProviderAnswer(status: answer.status, reason: answer.word, providerID: answer.name)
        )
    }
}
