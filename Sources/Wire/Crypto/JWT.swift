/// A JSON Web Token in compact form (RFC 7519, RFC 7515) taken apart, not yet believed.
///
/// What `claims` says is worth nothing before `isSigned(by:)`; reading the claims is the caller's.
package struct JWT: Sendable {
    /// Longer tokens are refused unread.
    package static let maximumByteCount = 8192

    package let algorithm: String
    package let keyID: String?
    /// The claims' JSON text, decoded from base 64 only.
    package let claims: [UInt8]
    private let signedInput: [UInt8]
    private let signature: [UInt8]

    package enum ParseError: Error, Equatable, Sendable {
        case tooLong
        /// Not three strict base64url parts.
        case malformed
        /// A header that is no object, has no `alg`, or demands extensions (`crit`) that nobody here knows.
        case badHeader
    }

    package init(parsing token: some Collection<UInt8>) throws(ParseError) {
        guard token.count <= Self.maximumByteCount else { throw .tooLong }
        let parts = token.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]),
            let claims = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw .malformed }
        guard let root = Self.object(header), let algorithm = root["alg"]?.string, root["crit"] == nil else {
            throw .badHeader
        }
        self.algorithm = algorithm
        keyID = root["kid"]?.string
        self.claims = claims
        self.signature = signature
        signedInput = parts[0] + [UInt8(ascii: ".")] + parts[1]
    }

    package init(parsing token: String) throws(ParseError) { try self.init(parsing: token.utf8) }

    private static func object(_ header: [UInt8]) -> JSONNode? {
        guard let root = (try? JSONDocument(parsing: header))?.root, root.kind == .object else { return nil }
        return root
    }

    /// Whether this key made the signature. The header must name exactly the key's
    /// algorithm: neither `none` nor a public key taken as a shared secret can pass.
    package func isSigned(by key: VerifyingKey) -> Bool {
        guard algorithm == key.algorithm else { return false }
        switch key {
        case .hs256(let secret): return secret.isValid(signature, for: signedInput)
        case .es256(let key): return key.isValid(signature, for: signedInput)
        case .rs256(let key): return key.isValid(signature, for: signedInput)
        }
    }

    package enum VerifyingKey: Sendable {
        case hs256(HMACSHA256)
        case es256(ECDSAP256.PublicKey)
        case rs256(RSASHA256.PublicKey)

        package var algorithm: String {
            switch self {
            case .hs256: "HS256"
            case .es256: "ES256"
            case .rs256: "RS256"
            }
        }
    }

    package enum SigningKey: Sendable {
        case hs256(HMACSHA256)
        case es256(ECDSAP256.PrivateKey)
        case rs256(RSASHA256.PrivateKey)

        package var algorithm: String {
            switch self {
            case .hs256: "HS256"
            case .es256: "ES256"
            case .rs256: "RS256"
            }
        }

        fileprivate func sign(_ input: [UInt8]) throws(CryptoError) -> [UInt8] {
            switch self {
            case .hs256(let secret): secret.authenticate(input)
            case .es256(let key): try key.sign(input)
            case .rs256(let key): try key.sign(input)
            }
        }
    }

    /// Makes a token from the claims' JSON text. `type` is the header's `typ`; APNs wants none.
    package static func sign(
        claims: [UInt8], keyID: String? = nil, type: String? = "JWT", with key: SigningKey
    ) throws(CryptoError) -> String {
        var header = JSONWriter()
        header.beginObject()
        header.key("alg")
        header.string(key.algorithm)
        if let type {
            header.key("typ")
            header.string(type)
        }
        if let keyID {
            header.key("kid")
            header.string(keyID)
        }
        header.endObject()
        var token =
            Base64URL.encodedBytes(header.bytes) + [UInt8(ascii: ".")] + Base64URL.encodedBytes(claims)
        let signature = try key.sign(token)
        token += [UInt8(ascii: ".")] + Base64URL.encodedBytes(signature)
        return String(decoding: token, as: UTF8.self)
    }
}
