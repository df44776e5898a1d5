import InMemory
import Testing
import Wire

@testable import API

@Suite("The OpenAPI document", .timeLimit(.minutes(1)))
struct OpenAPITests {
    private let server: TestServer

    init() throws { server = try TestServer() }

    private func document(admin: Bool) async throws -> JSONNode {
        try #require(try await server.call(.get, "/openapi.json", admin: admin).json)
    }

    @Test(arguments: [false, true])
    func `what is served is what is described`(_ admin: Bool) async throws {
        let document = try await document(admin: admin)
        let router = admin ? server.adminAPI.router : server.publicAPI.router
        var described: Set<String> = []
        for (path, item) in try #require(document["paths"]).members {
            for (method, _) in item.members { described.insert("\(method.uppercased()) \(path)") }
        }
        #expect(described == Set(router.routes.map { "\($0.method.text) \($0.pattern)" }))
        #expect(document["openapi"]?.string == "3.1.0")
    }

    @Test(arguments: [false, true])
    func `every reference leads to a schema`(_ admin: Bool) async throws {
        let document = try await document(admin: admin)
        let schemas = Set(try #require(document["components"]?["schemas"]).members.map(\.key))
        let text = String(decoding: document.rawBytes, as: UTF8.self)
        let references = text.split(separator: "#/components/schemas/").dropFirst()
            .map { String($0.prefix { $0 != "\"" }) }
        #expect(!references.isEmpty && Set(references).isSubset(of: schemas))
    }

    @Test func `every described path answers as itself`() async throws {
        for admin in [false, true] {
            let router = admin ? server.adminAPI.router : server.publicAPI.router
            let connection = try await server.connect(toAdmin: admin)
            defer { connection.close() }
            for route in router.routes {
                let path = route.pattern.replacing("{", with: "").replacing("}", with: "")
                let status = try await connection.call(
                    route.method, path, body: route.body == .none ? nil : "{}"
                ).status
                #expect(![404, 405].contains(status), "\(route.method.text) \(path) \(status)")
            }
        }
    }

    /// The closed schema of a body and its reader must know the same fields.
    @Test func `the message's schema names the fields its reader knows`() throws {
        let schema = try #require(PublicSchemas.all.first { $0.name == "Message" })
        let properties = try JSONDocument(parsing: Array(schema.json.utf8)).root["properties"]
        for (key, _) in try #require(properties).members {
            do throws(Problem) {
                _ = try MessageReader.message(parsing: Array(#"{"\#(key)":null}"#.utf8))
            } catch {
                #expect(error.code != .unknownField, "\(key)")
            }
        }
        let notification = try #require(PublicSchemas.all.first { $0.name == "Notification" })
        let shown = try JSONDocument(parsing: Array(notification.json.utf8)).root["properties"]
        for (key, _) in try #require(shown).members {
            let node = try JSONDocument(parsing: Array(#"{"\#(key)":null}"#.utf8)).root
            #expect(throws: Never.self) { try NotificationReader.check(node) }
        }
    }

    @Test func `answers have the members their schemas require`() async throws {
        let key = server.apiKey()
        let credential = try server.credential("bob", "phone")
        _ = try await server.call(
            .post, "/v1/messages", bearer: key, body: TestServer.message("m", to: ["bob"]))
        _ = try await server.call(.put, "/v1/device", bearer: credential, body: "{}")
        let answers: [(String, TestAnswer)] = [
            ("Devices", try await server.call(.get, "/v1/users/bob/devices", bearer: key)),
            ("Conversations", try await server.call(.get, "/v1/conversations", bearer: credential)),
            ("MailboxPage", try await server.call(.get, "/v1/mailbox", bearer: credential)),
            ("UserBadgeState", try await server.call(.get, "/v1/badge", bearer: credential)),
            ("Explanation", try await server.call(.get, "/v1/messages/m/trace?user=bob", bearer: key)),
            ("Problem", try await server.call(.get, "/v1/badge")),
            ("Status", try await server.call(.get, "/admin/status", bearer: server.adminToken, admin: true)),
            (
                "Tenant",
                try await server.call(.get, "/admin/tenants/demo", bearer: server.adminToken, admin: true)
            ),
        ]
        for (name, answer) in answers {
            let schema = try #require(OpenAPISchemas.all.first { $0.name == name })
            let required = try JSONDocument(parsing: Array(schema.json.utf8)).root["required"]
            for member in try #require(required).elements {
                #expect(answer.json?[member.string ?? ""] != nil, "\(name) \(member.string ?? "")")
            }
        }
    }
}
