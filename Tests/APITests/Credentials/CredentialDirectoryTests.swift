import Domain
import Engine
import InMemory
import Testing
import Wire

@testable import API

@Suite("Credentials")
struct CredentialDirectoryTests {
    static let now = WallTime(milliseconds: 1_796_025_600_000)
    private let sealing = PlainSealing()
    private let tenants = TenantDirectory()
    private let secret = SecureRandom.bytes(count: 32)
    private let signer: ECDSAP256.PrivateKey
    private let directory: CredentialDirectory
    private let tenant = Tenant(key: TenantKey(1), name: TenantID("demo"), policy: Policy())

    init() throws {
        signer = try ECDSAP256.PrivateKey.generate()
        tenants.put(tenant)
        tenants.put(Tenant(key: TenantKey(2), name: TenantID("other"), policy: Policy()))
        directory = CredentialDirectory(tenants: tenants, sealing: sealing)
        directory.replaceClientKeys(
            TenantKey(1),
            [row(1, "k1", "HS256", secret), row(1, "k2", "ES256", Array(signer.publicKey.pem.utf8))])
        directory.replaceClientKeys(
            TenantKey(2), [row(2, "k1", "HS256", SecureRandom.bytes(count: 32))])
    }

    private func row(_ tenant: Int64, _ kid: String, _ algorithm: String, _ key: [UInt8]) -> StoredClientKey {
        let tenant = TenantKey(tenant)
        return StoredClientKey(
            tenant: tenant, kid: kid, algorithm: algorithm,
            sealed: sealing.seal(key, for: ClientKeys.row(tenant, kid: kid)))
    }

    private func claims(
        iss: String = "\"demo\"", sub: String = "\"bob\"", did: String = "\"phone\"", iat: Int64 = 0,
        exp: Int64 = 3_600, more: String = ""
    ) -> [UInt8] {
        let base = Self.now.milliseconds / 1_000
        return Array(
            #"{"iss":\#(iss),"sub":\#(sub),"did":\#(did),"iat":\#(base + iat),"exp":\#(base + exp)\#(more)}"#
                .utf8)
    }

    private func token(_ claims: [UInt8], kid: String? = "k1", key: JWT.SigningKey? = nil) throws -> [UInt8] {
        Array(
            try JWT.sign(claims: claims, keyID: kid, with: key ?? .hs256(HMACSHA256(key: secret))).utf8)
    }

    private func refusal(_ token: [UInt8], at now: WallTime = now) -> CredentialRefusal? {
        do throws(CredentialRefusal) {
            _ = try directory.device(token, at: now)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a credential of either algorithm names its device`() throws {
        let hs = try directory.device(token(claims()), at: Self.now)
        #expect(hs.user == UserID("bob") && hs.device == DeviceID("phone") && hs.tenant.key == TenantKey(1))
        let es = try directory.device(token(claims(), kid: "k2", key: .es256(signer)), at: Self.now)
        #expect(es.expiresAt == Self.now + 3_600_000)
    }

    @Test func `claims are held to their rules with a minute of skew`() throws {
        #expect(try refusal(token(claims(iat: 59))) == nil)
        #expect(try refusal(token(claims(iat: 61))) == .notYetValid)
        #expect(try refusal(token(claims(iat: -4_000, exp: -59))) == nil)
        #expect(try refusal(token(claims(iat: -4_000, exp: -61))) == .expired)
        #expect(try refusal(token(claims(exp: 2_592_000))) == nil)
        #expect(try refusal(token(claims(exp: 2_592_001))) == .livesTooLong)
        let nbf = Self.now.milliseconds / 1_000 + 61
        #expect(try refusal(token(claims(more: ",\"nbf\":\(nbf)"))) == .notYetValid)
        #expect(try refusal(token(claims(exp: 0))) == .invalid)
    }

    @Test(arguments: [
        ("\"nobody\"", "\"bob\"", "\"phone\""), ("\"other\"", "\"bob\"", "\"phone\""),
        ("7", "\"bob\"", "\"phone\""),
        ("\"demo\"", "\"\"", "\"phone\""), ("\"demo\"", "\"bob\"", "null"),
        ("\"demo\"", "\"bob\"", "\"a\\u0001\""),
    ])
    func `bad or foreign claims are refused`(_ iss: String, _ sub: String, _ did: String) throws {
        #expect(try refusal(token(claims(iss: iss, sub: sub, did: did))) == .invalid)
    }

    @Test func `unsigned, confused and unknown tokens are refused`() throws {
        let body = Base64URL.encode(claims())
        for header in [#"{"alg":"none","kid":"k1"}"#, #"{"alg":"None"}"#, #"{"alg":"HS512","kid":"k1"}"#] {
            let text = Base64URL.encode(Array(header.utf8)) + "." + body + "."
            #expect(refusal(Array(text.utf8)) == .invalid)
        }
        // The public key of k2 as a shared secret, and k1's secret under another name.
        let confused = JWT.SigningKey.hs256(HMACSHA256(key: Array(signer.publicKey.pem.utf8)))
        #expect(try refusal(token(claims(), kid: "k2", key: confused)) == .invalid)
        #expect(try refusal(token(claims(), kid: "k9")) == .invalid)
        #expect(try refusal(token(claims(), kid: nil)) == .invalid)
        #expect(refusal([]) == .invalid && refusal(Array("a.b.c".utf8)) == .invalid)
    }

    @Test func `a changed byte or a replaced key ends a credential that was known`() throws {
        var good = try token(claims())
        #expect(refusal(good) == nil)
        directory.replaceClientKeys(TenantKey(1), [row(1, "k1", "HS256", SecureRandom.bytes(count: 32))])
        #expect(refusal(good) == .invalid)
        good[good.count - 2] ^= 1
        #expect(refusal(good) == .invalid)
    }

    @Test func `a known credential still expires`() throws {
        let good = try token(claims())
        #expect(refusal(good) == nil)
        #expect(refusal(good, at: Self.now + 3_660_000) == .expired)
    }

    @Test func `an API key is found by its hash until it is revoked`() {
        let (key, stored) = APIKey.make(TenantKey(1), name: "backend", at: Self.now, sealing: sealing)
        directory.add(stored)
        #expect(directory.tenant(apiKey: key.utf8)?.key == TenantKey(1))
        #expect(directory.tenant(apiKey: (key + "x").utf8)?.key == nil)
        #expect(stored.prefix.utf8.count == 9 && key.hasPrefix(stored.prefix) && stored.prefix != key)
        #expect(!stored.hash.elementsEqual(Array(key.utf8)))
        directory.removeAPIKey(TenantKey(1), prefix: stored.prefix)
        #expect(directory.tenant(apiKey: key.utf8)?.key == nil)
    }

    @Test func `the admin token is itself and nothing else`() {
        let token = AdminToken(Array("secret".utf8))
        #expect(token.isEqual(to: "secret".utf8))
        #expect(!token.isEqual(to: "secres".utf8) && !token.isEqual(to: "".utf8))
    }

    @Test func `failures of an address run into a limit and out of it again`() {
        let failures = AuthenticationFailures()
        let start = Instant(milliseconds: 0)
        for _ in 0..<AuthenticationFailures.limit { #expect(failures.record("10.0.0.1", at: start)) }
        #expect(!failures.record("10.0.0.1", at: start))
        #expect(failures.record("10.0.0.2", at: start))
        #expect(failures.record("10.0.0.1", at: start + AuthenticationFailures.windowMilliseconds))
    }

    @Test func `the table of failures does not grow beyond its bound`() {
        let failures = AuthenticationFailures()
        let start = Instant(milliseconds: 0)
        for host in 0..<AuthenticationFailures.capacity + 500 { _ = failures.record("h\(host)", at: start) }
        #expect(failures.count <= AuthenticationFailures.capacity + 1)
    }
}
