import Domain
import Engine
import Gateway
import InMemory
import Testing
import Wire

@Suite("The gateway past the lease", .timeLimit(.minutes(1)))
struct GatewayGateTests {
    private func phone(_ server: TestServer) async throws -> TestConnection {
        let connection = try await server.connect()
        try await connection.upgrade()
        connection.sendText(#"{"type":"AUTH","token":"\#(try server.credential("bob", "phone"))"}"#)
        #expect(try await connection.text()["type"]?.string == "AUTH_OK")
        return connection
    }

    @Test func `an entry that was to be written is not, and the connection ends`() async throws {
        let server = try TestServer()
        let phone = try await phone(server)
        let key = server.apiKey()
        server.gate.close()
        let answer = try await server.call(
            .post, "/v1/messages", bearer: key, body: TestServer.message("m-1", to: ["bob"]))
        #expect(answer.status == 503)
        #expect(await phone.event() == nil)
    }

    @Test func `an idle connection is still told to look for the new owner`() async throws {
        let server = try TestServer()
        let phone = try await phone(server)
        server.gate.close()
        await server.gateway.drain()
        #expect(await phone.closeCode() == 1_001)
    }

    @Test func `what is answered from memory becomes a 503, health does not`() async throws {
        let server = try TestServer()
        let key = server.apiKey()
        #expect(try await server.call(.get, "/v1/users/bob/badge", bearer: key).status == 200)
        server.gate.close()
        let badge = try await server.call(.get, "/v1/users/bob/badge", bearer: key)
        #expect(badge.status == 503 && badge.response.headers["Retry-After"] != nil)
        #expect(try await server.call(.get, "/healthz").status == 200)
    }

    @Test func `a standby upgrades nobody`() async throws {
        let server = try TestServer()
        server.health.isStandby = true
        let connection = try await server.connect()
        await #expect(throws: TestConnection.Failure.self) { try await connection.upgrade() }
    }
}
