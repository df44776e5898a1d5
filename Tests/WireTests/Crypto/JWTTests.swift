import Testing

@testable import Wire

@Suite struct JWTTests {
    let claims = Array("{\"iss\":\"TEAM000000\",\"iat\":1700000000}".utf8)

    /// RFC 7515 Appendix A.1.
    @Test func `the published HS256 token is valid`() throws {
        let key = try #require(
            Base64URL.decode(
                "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"))
        let token =
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
            + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxl"
            + "LmNvbS9pc19yb290Ijp0cnVlfQ"
            + ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let jwt = try JWT(parsing: token)
        #expect(jwt.algorithm == "HS256")
        #expect(jwt.isSigned(by: .hs256(HMACSHA256(key: key))))
        #expect(!jwt.isSigned(by: .hs256(HMACSHA256(key: key + [0]))))
        #expect(String(decoding: jwt.claims, as: UTF8.self).contains("\"iss\":\"joe\""))
    }

    @Test func `an ES256 token has the header APNs wants and a raw signature`() throws {
        let key = try ECDSAP256.PrivateKey.generate()
        let token = try JWT.sign(claims: claims, keyID: "ABCDEFGHIJ", type: nil, with: .es256(key))
        let parts = token.utf8.split(separator: UInt8(ascii: "."))
        #expect(
            Base64URL.decode(parts[0]).map { String(decoding: $0, as: UTF8.self) }
                == "{\"alg\":\"ES256\",\"kid\":\"ABCDEFGHIJ\"}")
        #expect(Base64URL.decode(parts[2])?.count == 64)
        let jwt = try JWT(parsing: token)
        #expect(jwt.keyID == "ABCDEFGHIJ")
        #expect(jwt.claims == claims)
        #expect(jwt.isSigned(by: .es256(key.publicKey)))
        #expect(!jwt.isSigned(by: .es256(try ECDSAP256.PrivateKey.generate().publicKey)))
    }

    @Test func `an RS256 token is signed and verified`() throws {
        let key = try RSASHA256.PrivateKey.generate()
        let jwt = try JWT(parsing: JWT.sign(claims: claims, with: .rs256(key)))
        #expect(jwt.algorithm == "RS256")
        #expect(jwt.isSigned(by: .rs256(key.publicKey)))
    }

    @Test func `a token is believed only under the algorithm of the key`() throws {
        let key = try ECDSAP256.PrivateKey.generate()
        let pem = HMACSHA256(key: Array(key.publicKey.pem.utf8))
        let confused = try JWT(parsing: JWT.sign(claims: claims, with: .hs256(pem)))
        #expect(!confused.isSigned(by: .es256(key.publicKey)))
        for header in ["{\"alg\":\"none\"}", "{\"alg\":\"None\"}", "{\"alg\":\"es256\"}", "{\"alg\":\"\"}"] {
            let unsigned = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(claims) + "."
            let jwt = try JWT(parsing: unsigned)
            #expect(!jwt.isSigned(by: .es256(key.publicKey)))
            #expect(!jwt.isSigned(by: .hs256(pem)))
        }
    }

    @Test func `any change of the text ends the signature`() throws {
        let key = HMACSHA256(key: [1, 2, 3])
        let token = Array(try JWT.sign(claims: claims, with: .hs256(key)).utf8)
        for index in token.indices {
            var changed = token
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let isBelieved = (try? JWT(parsing: changed))?.isSigned(by: .hs256(key)) ?? false
            #expect(!isBelieved)
        }
    }

    @Test func `what is no token is refused`() {
        let header = Base64URL.encode(Array("{\"alg\":\"HS256\"}".utf8))
        let critical = Base64URL.encode(Array("{\"alg\":\"HS256\",\"crit\":[\"exp\"]}".utf8))
        for text in [
            "", ".", "..", "a.b", header + ".e30.AA.AA", header + ".e30=.AA", header + ".e30.A",
            " " + header + ".e30.AA",
        ] {
            #expect(throws: JWT.ParseError.self, "\(text)") { try JWT(parsing: text) }
        }
        for text in [critical + ".e30.AA", "W10.e30.AA", "e30.e30.AA", "eyJhbGciOjF9.e30.AA"] {
            #expect(throws: JWT.ParseError.badHeader, "\(text)") { try JWT(parsing: text) }
        }
        let long = header + "." + String(repeating: "A", count: JWT.maximumByteCount) + ".AA"
        #expect(throws: JWT.ParseError.tooLong) { try JWT(parsing: long) }
    }
}
