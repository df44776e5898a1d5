import Testing
import Wire

@testable import Rouse

@Suite struct ClientFileTests {
    @Test func `what is written is read again`() throws {
        var file = ClientFile()
        file.server = "http://127.0.0.1:8080"
        file.apiKey = "rk_x"
        file.clientKey = ClientKey(tenant: "demo", keyID: "k1", secret: [1, 2, 3])
        #expect(try ClientFile(parsing: file.bytes) == file)
        #expect(try ClientFile(parsing: ClientFile().bytes) == ClientFile())
    }

    @Test func `a credential names tenant, user and device and is signed by the client key`() throws {
        let secret = SecureRandom.bytes(count: 32)
        let key = ClientKey(tenant: "demo", keyID: "k1", secret: secret)
        let token = try JWT(parsing: key.credential(user: "bob", device: "phone", now: 1_000, seconds: 60))
        #expect(token.isSigned(by: .hs256(HMACSHA256(key: secret))))
        #expect(token.keyID == "k1")
        let claims = try JSONDocument(parsing: token.claims).root
        #expect(claims["iss"]?.string == "demo")
        #expect(claims["sub"]?.string == "bob")
        #expect(claims["did"]?.string == "phone")
        #expect(claims["exp"]?.integer == 1_060)
    }
}
