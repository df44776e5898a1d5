import Wire

/// What a service account shows to get an access token.
enum FCMAssertion {
    static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    private static let lifeSeconds: Int64 = 3_600
    /// The assertion is dated back, against a clock that runs ahead of Google's.
    private static let backdatingSeconds: Int64 = 30

    /// The form body of the token request; made afresh for each, for an old one is refused.
    static func form(_ credential: FCMCredential, nowSeconds: Int64) throws(CryptoError) -> [UInt8] {
        var claims = JSONWriter()
        claims.beginObject()
        claims.member("iss", credential.clientEmail)
        claims.member("scope", scope)
        claims.member("aud", "https://\(credential.tokenURI.authority)\(credential.tokenURI.path)")
        claims.member("iat", nowSeconds - backdatingSeconds)
        claims.member("exp", nowSeconds - backdatingSeconds + lifeSeconds)
        claims.endObject()
        let assertion = try JWT.sign(
            claims: claims.bytes, keyID: credential.privateKeyID, with: .rs256(credential.privateKey))
        return Array(
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)".utf8)
    }
}

/// The answer of the token endpoint.
enum FCMTokenAnswer: Equatable {
    case token(String, lifeSeconds: Int64)
    /// The account is refused: the operator has to act.
    case refused(reason: String)
    /// The endpoint is out of order: try again later.
    case unavailable(reason: String)

    init(status: Int, body: [UInt8]) {
        let root = (try? JSONDocument(parsing: body))?.root
        if status == 200, let token = root?["access_token"]?.string, Self.isToken(token) {
            let life = root?["expires_in"]?.integer ?? 3_600
            self = .token(token, lifeSeconds: min(max(life, 60), 86_400))
        } else if (400..<500).contains(status), status != 429, status != 408 {
            self = .refused(
                reason: root?["error"]?.string.flatMap(AnswerWord.init)?.text ?? "oauth_\(status)")
        } else {
            self = .unavailable(reason: "oauth_\(status)")
        }
    }

    /// It becomes a header field: visible ASCII only.
    private static func isToken(_ text: String) -> Bool {
        (1...8_192).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
