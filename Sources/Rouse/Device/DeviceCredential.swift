import Wire

/// A client key of a tenant, and the credentials signed with it: what a backend does for its devices.
struct ClientKey: Equatable, Sendable {
    let tenant: String
    let keyID: String
    let secret: [UInt8]

    /// A credential for one device, valid for `seconds` from now.
    func credential(user: String, device: String, now: Int64, seconds: Int64 = 86_400) throws -> String {
        var claims = JSONWriter()
        claims.beginObject()
        claims.member("iss", tenant)
        claims.member("sub", user)
        claims.member("did", device)
        claims.member("iat", now)
        claims.member("exp", now + seconds)
        claims.endObject()
        return try JWT.sign(claims: claims.bytes, keyID: keyID, with: .hs256(HMACSHA256(key: secret)))
    }
}
