import Domain
import EventLoop
import HTTP
import Wire

/// The access token of one service account: fetched once for all who want it, renewed at 80 % of its life.
/// Belongs to one loop.
final class FCMTokenSource {
    struct Token {
        /// `Bearer …`, as the field wants it.
        let authorization: [UInt8]
        let issuedAt: WallTime
    }

    private static let retryMilliseconds = 5_000

    private let credential: FCMCredential
    private let connector: Connector
    private let loop: EventLoop
    private var call: HTTP2SingleCall?
    private var renewal: TimerToken?
    private var isStopped = false
    private(set) var token: Token?
    var observer: (AuthorizationChange) -> Void = { _ in }

    init(credential: FCMCredential, connector: Connector, loop: EventLoop) {
        self.credential = credential
        self.connector = connector
        self.loop = loop
    }

    /// Fetches a token; single flight.
    func fetch() {
        guard call == nil, !isStopped else { return }
        let form: [UInt8]
        do {
            form = try FCMAssertion.form(credential, nowSeconds: WallClock.now() / 1_000)
        } catch {
            return tell(.refused(reason: "assertion_not_signed"))
        }
        var headers = HTTP2Headers()
        headers.append(.method, "POST")
        headers.append(.scheme, "https")
        headers.append(.authority, credential.tokenURI.authority)
        headers.append(.path, credential.tokenURI.path)
        headers.append(.contentType, "application/x-www-form-urlencoded")
        call = HTTP2SingleCall(headers, body: form) { [weak self] result in self?.finished(result) }
        call?.start(connector, credential.tokenURI, on: loop)
    }

    /// The present token was refused.
    func discard() { token = nil }

    func stop() {
        isStopped = true
        observer = { _ in }
        call = nil
        if let renewal { loop.timers.cancel(renewal) }
    }

    private func finished(_ result: HTTP2SingleCall.Result) {
        call = nil
        guard !isStopped else { return }
        let answer: FCMTokenAnswer =
            switch result {
            case .response(let response): FCMTokenAnswer(status: response.status, body: response.body)
            case .failed(let reason): .unavailable(reason: reason)
            }
        switch answer {
        case .token(let text, let lifeSeconds):
            token = Token(
                authorization: Array("Bearer \(text)".utf8), issuedAt: WallTime(milliseconds: WallClock.now())
            )
            armRenewal(after: Int(lifeSeconds) * 800)
            tell(.ready)
        case .refused(let reason): tell(.refused(reason: reason))
        case .unavailable(let reason):
            // A token that still lives goes on being used.
            if token != nil {
                armRenewal(after: Self.retryMilliseconds)
            } else {
                tell(.failed(reason: reason))
            }
        }
    }

    private func tell(_ change: AuthorizationChange) { observer(change) }

    private func armRenewal(after milliseconds: Int) {
        if let renewal { loop.timers.cancel(renewal) }
        renewal = loop.timers.arm(afterMilliseconds: milliseconds) { [weak self] in self?.fetch() }
    }
}
