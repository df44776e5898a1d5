import EventLoop
import Wire

/// Google's token endpoint: an assertion signed by a service account against an access token.
struct OAuthPersonality {
    static let path = Array("/token".utf8)
    private static let grant = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"

    let state: SimulatorState

    func reply(_ fields: RequestFields, authority: String, body: [UInt8]) -> SimulatedReply {
        let now = WallClock.now()
        if let scripted = state.answer(for: "oauth"), case .respond(let status, _) = scripted.act {
            return refused(status, "invalid_grant", "Scripted.")
        }
        guard fields.method.text == "POST", let form = try? HTTPQuery(parsing: body[...]),
            form.parameters.first(where: { $0.name == "grant_type" })?.value == Self.grant,
            let assertion = form.parameters.first(where: { $0.name == "assertion" })?.value
        else { return refused(400, "invalid_request", "Malformed token request.") }
        if let fault = fault(assertion, authority: authority, at: now / 1_000) {
            return refused(400, "invalid_grant", fault)
        }
        var answer = JSONWriter()
        answer.beginObject()
        answer.member("access_token", state.issueAccessToken(at: now))
        answer.member("expires_in", state.settings.accessTokenSeconds)
        answer.member("token_type", "Bearer")
        answer.endObject()
        return .json(200, answer.bytes)
    }

    private func fault(_ assertion: String, authority: String, at now: Int64) -> String? {
        guard let jwt = try? JWT(parsing: assertion), jwt.algorithm == "RS256",
            let claims = (try? JSONDocument(parsing: jwt.claims))?.root, let email = claims["iss"]?.string
        else { return "Invalid JWT." }
        let known = state.account(email)
        if !known.isOpenToAll {
            guard let key = known.key, jwt.isSigned(by: .rs256(key)) else { return "Invalid JWT Signature." }
        }
        guard claims["scope"]?.string == Self.scope else { return "Invalid scope." }
        guard let audience = claims["aud"]?.string, audience == "https://\(authority)/token" else {
            return "Invalid JWT: audience."
        }
        guard let issuedAt = claims["iat"]?.integer, let expiry = claims["exp"]?.integer, issuedAt <= now,
            expiry > now, expiry - issuedAt <= 3_600
        else {
            return
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe."
        }
        return nil
    }

    private func refused(_ status: Int, _ error: String, _ description: String) -> SimulatedReply {
        var body = JSONWriter()
        body.beginObject()
        body.member("error", error)
        body.member("error_description", description)
        body.endObject()
        return .json(status, body.bytes)
    }
}
