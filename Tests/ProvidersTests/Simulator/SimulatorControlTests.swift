import Domain
import EventLoop
import HTTP
import Providers
import Testing
import Wire

@testable import Simulator

struct SimulatorControlTests {
    private func call(
        _ method: HTTPMethod, _ path: [String], query: HTTPQuery = HTTPQuery(), body: String = "",
        _ simulator: ProviderSimulator
    ) -> HTTPResponse {
        SimulatorControl.answer(
            HTTPRequest(
                method: method, target: "/", pathSegments: path, query: query, body: Array(body.utf8)),
            simulator)
    }

    @Test func `what was received is listed and forgotten on reset`() async throws {
        let rig = try Rig()
        try rig.start()
        rig.senders.send([rig.request(1), rig.request(2, token: "bb00")])
        _ = await rig.reporting.reports(2)
        let query = HTTPQuery([HTTPQuery.Parameter(name: "token", value: "bb00")])
        let response = call(.get, ["pushes"], query: query, rig.simulator)
        let list = try JSONDocument(parsing: response.body).root
        #expect(list.elements.count == 1)
        let push = try #require(list.elements.first { _ in true })
        #expect(push["provider"]?.string == "apns")
        #expect(push["token"]?.string == "bb00")
        #expect(push["badge"]?.integer == 3)
        #expect(push["status"]?.integer == 200)
        #expect(push["headers"]?["apns-topic"]?.string == "com.example.app")
        #expect(push["headers"]?["authorization"] == nil)
        #expect(push["payload"]?["rouse"]?["message_id"]?.string == "m-2")
        #expect(call(.post, ["reset"], rig.simulator).status == 204)
        #expect(call(.get, ["pushes"], rig.simulator).body == Array("[]".utf8))
    }

    @Test func `a token is scripted and nonsense is refused`() throws {
        let rig = try Rig()
        #expect(call(.post, ["tokens", "aa"], body: #"{"answer":"410"}"#, rig.simulator).status == 204)
        #expect(call(.post, ["tokens", "aa"], body: #"{"answer":"?"}"#, rig.simulator).status == 422)
        #expect(call(.post, ["tokens", "aa"], body: "", rig.simulator).status == 422)
        #expect(call(.get, ["nothing"], rig.simulator).status == 404)
    }

    @Test func `it tells whom to trust and how much it has seen`() throws {
        let rig = try Rig()
        let pem = String(decoding: call(.get, ["ca.pem"], rig.simulator).body, as: UTF8.self)
        #expect(pem.hasPrefix("-----BEGIN CERTIFICATE-----"))
        let statistics = try JSONDocument(parsing: call(.get, ["stats"], rig.simulator).body).root
        #expect(statistics["received"]?.integer == 0)
    }
}
