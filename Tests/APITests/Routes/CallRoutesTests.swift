import Domain
import Engine
import InMemory
import Testing
import Wire

@testable import API

@Suite("Calls over the public listener", .timeLimit(.minutes(1)))
struct CallRoutesTests {
    private let server: TestServer
    private let key: String

    init() throws {
        server = try TestServer()
        key = server.apiKey()
    }

    private func ring(
        _ id: String, from caller: String = "alice", to callees: [String] = ["bob"], more: String = ""
    ) async throws -> TestAnswer {
        let list = callees.map { "\"\($0)\"" }.joined(separator: ",")
        let body =
            #"{"call_id":"\#(id)","caller":{"user":"\#(caller)","name":"Alice"},"#
            + #""callees":[\#(list)],"video":true,"ttl_s":600\#(more)}"#
        return try await server.call(.post, "/v1/calls", bearer: key, body: body)
    }

    private func register(_ user: String, _ device: String, voIP token: String) async throws {
        let tokens =
            #"{"tokens":[{"transport":"apns_voip","token":"\#(token)000000000000","topic":"com.example.app","#
            + #""environment":"production"}]}"#
        let answer = try await server.call(
            .put, "/v1/users/\(user)/devices/\(device)", bearer: key, body: tokens)
        #expect(answer.status == 200)
    }

    private func state(_ id: String, of user: String) async throws -> TestAnswer {
        try await server.call(.get, "/v1/calls/\(id)", bearer: server.credential(user, "phone"))
    }

    @Test func `a call rings once, whoever repeats it, and completes what is missing`() async throws {
        try await register("bob", "phone", voIP: "aa01")
        try await register("carol", "phone", voIP: "aa02")
        let first = try await ring("k-1")
        #expect(first.status == 202)
        #expect(first.text == #"{"call_id":"k-1","duplicate":false,"devices":1}"#)
        let push = await server.sender.first()
        #expect(push.channel.transport == .apnsVoIP && push.draft.kind == .call)
        #expect(try await ring("k-1").text == #"{"call_id":"k-1","duplicate":true,"devices":1}"#)
        let wider = try await ring("k-1", to: ["bob", "carol"])
        #expect(wider.text == #"{"call_id":"k-1","duplicate":false,"devices":2}"#)
        let other = try await ring("k-1", from: "mallory")
        #expect(other.status == 409 && other.code == "conflict")
        #expect(server.sender.all.count { $0.draft.kind == .call } <= 2)
    }

    @Test func `a device sees how the call stands`() async throws {
        _ = try await ring("k-1", more: #","conversation_id":"c-1","data":{"room":"r 1"}"#)
        let ringing = try await state("k-1", of: "bob")
        #expect(ringing.status == 200)
        #expect(ringing.json?["state"]?.string == "ringing" && ringing.json?["reason"]?.string == "")
        #expect(ringing.json?["caller"]?["name"]?.string == "Alice")
        #expect(ringing.json?["data"]?["room"]?.string == "r 1")
        #expect(ringing.json?["conversation_id"]?.string == "c-1")
        let cancel = try await server.call(
            .post, "/v1/calls/k-1/cancel", bearer: key, body: #"{"reason":"hung_up"}"#)
        #expect(cancel.status == 202)
        let over = try await state("k-1", of: "bob")
        #expect(over.json?["state"]?.string == "cancelled" && over.json?["reason"]?.string == "hung_up")
        for (user, id) in [("carol", "k-1"), ("bob", "k-2")] {
            let none = try await state(id, of: user)
            #expect(none.status == 404 && none.code == "no_such_call")
        }
    }

    @Test func `cancelling one callee leaves the others ringing`() async throws {
        _ = try await ring("k-1", to: ["bob", "carol"])
        let cancel = try await server.call(
            .post, "/v1/calls/k-1/cancel", bearer: key, body: #"{"callee":"bob"}"#)
        #expect(cancel.status == 202 && cancel.text == #"{"call_id":"k-1"}"#)
        #expect(try await state("k-1", of: "bob").json?["reason"]?.string == "cancelled")
        #expect(try await state("k-1", of: "carol").json?["state"]?.string == "ringing")
        for (id, body) in [("k-1", #"{"callee":"dave"}"#), ("k-9", "{}")] {
            let none = try await server.call(.post, "/v1/calls/\(id)/cancel", bearer: key, body: body)
            #expect(none.status == 404 && none.code == "no_such_call")
        }
    }

    @Test func `who is called after the call was cancelled does not ring`() async throws {
        _ = try await ring("k-1")
        _ = try await server.call(.post, "/v1/calls/k-1/cancel", bearer: key, body: "{}")
        try await register("carol", "phone", voIP: "ab01")
        let late = try await ring("k-1", to: ["carol"])
        #expect(late.text == #"{"call_id":"k-1","duplicate":false,"devices":0}"#)
        #expect(try await state("k-1", of: "carol").json?["state"]?.string == "cancelled")
    }

    @Test func `a call survives the memory: its rows answer for it`() async throws {
        try await register("bob", "phone", voIP: "ac01")
        _ = try await ring("k-1")
        _ = await server.sender.first()
        server.database.isAway = true
        #expect(try await ring("k-2").status == 503)
        server.database.isAway = false
        var again = try await ring("k-1")
        while again.status == 503 { again = try await ring("k-1") }
        #expect(again.text == #"{"call_id":"k-1","duplicate":true,"devices":1}"#)
    }

    static let bodies: [(String, Int, String)] = [
        ("{}", 400, "missing_field"),
        (#"{"call_id":"k","caller":{"user":"a"},"callees":["b"]}"#, 400, "missing_field"),
        (#"{"call_id":"k","caller":{"user":"a"},"callees":[],"video":true}"#, 422, "invalid_value"),
        (#"{"call_id":"k","caller":{"name":"A"},"callees":["b"],"video":true}"#, 400, "missing_field"),
        (#"{"call_id":"k","caller":{"user":"a","x":1},"callees":["b"],"video":true}"#, 400, "unknown_field"),
        (#"{"call_id":"k","caller":{"user":"a"},"callees":["b"],"video":1}"#, 400, "wrong_type"),
        // No column of text can hold it.
        (
            #"{"call_id":"k","caller":{"user":"a","name":"A\u0000"},"callees":["b"],"video":true}"#, 422,
            "invalid_value"
        ),
        (
            #"{"call_id":"k","caller":{"user":"a"},"callees":["b"],"video":true,"ttl_s":0}"#, 422,
            "invalid_value"
        ),
        (
            #"{"call_id":"k","caller":{"user":"a"},"callees":["b"],"video":true,"ttl_s":601}"#, 422,
            "invalid_value"
        ),
        (#"{"call_id":"k","caller":{"user":"a"},"callees":["b"],"video":true,"data":[]}"#, 400, "wrong_type"),
        (
            #"{"call_id":"k","caller":{"user":"a"},"callees":["b"],"video":true,"data":{"x":""#
                + String(repeating: "x", count: CallReader.maximumDataBytes) + #""}}"#, 413, "data_too_large"
        ),
        (
            #"{"call_id":"k","caller":{"user":"a"},"callees":["b"],"video":true,"typo":1}"#, 400,
            "unknown_field"
        ),
    ]

    @Test(arguments: bodies)
    func `misuse has its answer`(_ body: String, _ status: Int, _ code: String) async throws {
        let answer = try await server.call(.post, "/v1/calls", bearer: key, body: body)
        #expect(answer.status == status && answer.code == code, "\(body.prefix(100)) \(answer.text)")
    }

    @Test func `callees are named once each, and up to a limit`() throws {
        let many = (0...CallReader.maximumCallees).map { "\"u-\($0)\"" }.joined(separator: ",")
        let body = #"{"call_id":"k","caller":{"user":"a"},"video":false,"callees":"#
        #expect(throws: Problem.self) { try CallReader.call(parsing: Array((body + "[\(many)]}").utf8)) }
        let twice = try CallReader.call(parsing: Array((body + #"["b","c","b"]}"#).utf8))
        #expect(twice.callees == [UserID("b"), UserID("c")])
        #expect(twice.ttlSeconds == 30 && twice.data.isEmpty && !twice.isVideo)
    }

    @Test func `the call's schemas name the fields its readers know`() throws {
        for (name, read) in [
            ("Call", { _ = try CallReader.call(parsing: $0) }),
            ("CallCancel", { _ = try CallCancelBody(parsing: $0) }),
        ] as [(String, ([UInt8]) throws -> Void)] {
            let schema = try #require(CallSchemas.all.first { $0.name == name })
            let properties = try JSONDocument(parsing: Array(schema.json.utf8)).root["properties"]
            for (key, _) in try #require(properties).members {
                do { try read(Array(#"{"\#(key)":null}"#.utf8)) } catch let problem as Problem {
                    #expect(problem.code != .unknownField, "\(key)")
                }
            }
        }
    }

    @Test func `answers have the members their schemas require`() async throws {
        let answers = [
            ("Ringing", try await ring("k-1")), ("CallState", try await state("k-1", of: "bob")),
            (
                "CallCancelled",
                try await server.call(.post, "/v1/calls/k-1/cancel", bearer: key, body: "{}")
            ),
        ]
        for (name, answer) in answers {
            let schema = try #require(CallSchemas.all.first { $0.name == name })
            let required = try JSONDocument(parsing: Array(schema.json.utf8)).root["required"]
            for member in try #require(required).elements {
                #expect(answer.json?[member.string ?? ""] != nil, "\(name) \(member.string ?? "")")
            }
        }
    }
}
