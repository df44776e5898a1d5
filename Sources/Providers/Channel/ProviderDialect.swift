import Domain
import Engine
import HTTP
import Wire

/// What differs between providers: how a push is spelled, how an answer is read, where the authorization
/// comes from. Belongs to the loop of its channel.
protocol ProviderDialect: AnyObject {
    var endpoint: ProviderEndpoint { get }
    /// Streams that may be used before the peer's SETTINGS have come.
    var initialStreams: Int { get }
    var isAuthorized: Bool { get }
    /// When the present authorization was issued; nil while there is none.
    var authorizedAt: WallTime? { get }
    /// Sees to it that there will be an authorization, or the word that there will be none.
    func authorize()
    /// The provider refused the authorization as too old or unknown. False: it is too young to be replaced.
    func renewAuthorization() -> Bool
    func compose(_ request: PushRequest, isFirstOnConnection: Bool) -> Composition
    func read(_ response: HTTP2Response) -> (judgement: Judgement, answer: ProviderAnswer)
    /// Releases what the dialect shares.
    func stop()
}

/// A push spelled for its provider.
enum Composition {
    /// `headers` is valid until the next composition.
    case request(HTTP2Headers, body: [UInt8])
    /// It cannot be sent, ever.
    case refused(reason: String)
}

/// News of a bearer token.
enum AuthorizationChange: Equatable {
    case ready
    /// It cannot be had now.
    case failed(reason: String)
    /// The credential is refused: the operator has to act.
    case refused(reason: String)
}
