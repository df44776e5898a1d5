import Domain
import InMemory
import Testing
import Wire

@testable import API

@Suite("The public listener", .timeLimit(.minutes(1)))
struct PublicRoutesTests {
    private let server: TestServer
    private let key: String

    init() throws {
        server = try TestServer()
        key = server.apiKey()
    }

    private func post(_ body: String, type: String = "application/json") async throws -> TestAnswer {
        try await server.call(.post, "/v1/messages", bearer: key, body: body, type: type)
    }

    @Test func `a message is accepted once and known again`() async throws {
        let message = TestServer.message("m-1", to: ["bob", "carol"])
        let first = try await post(message)
        #expect(first.status == 202)
        #expect(first.text == #"{"message_id":"m-1","duplicate":false,"recipients":2,"tasks":0}"#)
        let second = try await post(message)
        #expect(second.json?["duplicate"]?.bool == true)
        #expect(server.database.entryCount == 2)
        let other = try await post(message.replacing("\"c-1\"", with: "\"c-2\""))
        #expect(other.status == 409 && other.code == "conflict")
    }

    @Test func `lines are answered in order`() async throws {
        let body = [
            TestServer.message("l-1", to: ["bob"]), "nonsense", TestServer.message("l-2", to: ["bob"]),
        ].joined(separator: "\n")
        let answer = try await post(body, type: "application/x-ndjson")
        #expect(answer.status == 200)
        #expect(answer.response.headers["Content-Type"] == "application/x-ndjson")
        let lines = answer.text.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(
            lines[0].contains("\"l-1\"") && lines[1].contains("malformed_json")
                && lines[2].contains("\"l-2\""))
    }

    @Test func `a user's entries keep the lines' order`() async throws {
        let body = (1...20).map { TestServer.message("o-\($0)", to: ["bob"]) }.joined(separator: "\n")
        _ = try await post(body, type: "application/x-ndjson")
        let page = try await server.call(
            .get, "/v1/mailbox?limit=200", bearer: server.credential("bob", "phone"))
        let ids = page.json?["entries"]?.elements.compactMap { $0["message_id"]?.string }
        #expect(ids == (1...20).map { "o-\($0)" })
    }

    @Test func `credentials are asked for and told apart`() async throws {
        let body = TestServer.message("m", to: ["bob"])
        let device = try server.credential("bob", "phone")
        for (bearer, status, code) in [
            (nil, 401, "no_credential"), ("rk_unknown", 401, "bad_credential"), (device, 403, "forbidden"),
        ] as [(String?, Int, String)] {
            let answer = try await server.call(.post, "/v1/messages", bearer: bearer, body: body)
            #expect(answer.status == status && answer.code == code)
            #expect((answer.response.headers["WWW-Authenticate"] != nil) == (status == 401))
            #expect(answer.response.headers["Content-Type"] == "application/problem+json")
        }
        #expect(try await server.call(.get, "/v1/badge", bearer: key).status == 403)
        let expired = try server.credential("bob", "phone", expiresIn: -61)
        #expect(try await server.call(.get, "/v1/badge", bearer: expired).code == "credential_expired")
        #expect(server.database.entryCount == 0)
    }

    @Test func `an address with many failures hears 429, its good credentials still pass`() async throws {
        let connection = try await server.connect()
        defer { connection.close() }
        for _ in 0..<AuthenticationFailures.limit {
            #expect(try await connection.call(.get, "/v1/badge", bearer: "x").status == 401)
        }
        let answer = try await connection.call(.get, "/v1/badge", bearer: "x")
        #expect(answer.status == 429 && answer.response.headers["Retry-After"] == "60")
        #expect(
            try await connection.call(.get, "/v1/badge", bearer: server.credential("b", "d")).status == 200)
    }

    static let misuses: [(HTTPMethod, String, String?, String, Int)] = [
        (.get, "/v1/nothing", nil, "", 404), (.get, "/", nil, "", 404),
        (.get, "/v1/users//badge", nil, "", 404),
        (.get, "/v1/messages", nil, "", 405), (.delete, "/v1/users/bob/badge", nil, "", 405),
        (.other("BREW"), "/v1/messages", nil, "", 405),
        (.post, "/v1/messages", "{}", "text/plain", 415),
        (.post, "/v1/messages", "{}", "application/xml", 415),
        (.post, "/v1/users/bob/reads", "{}", "application/x-ndjson", 415),
        (.post, "/v1/messages", "{", "application/json", 400),
        (.post, "/v1/messages", "", "application/x-ndjson", 400),
        (.get, "/v1/users/bob/badge?typo=1", nil, "", 400),
        (.get, "/v1/users/bob/conversations?limit=0", nil, "", 422),
        (.get, "/v1/users/bob/conversations?limit=ten", nil, "", 400),
        (.get, "/v1/users/\(String(repeating: "x", count: 129))/badge", nil, "", 422),
        (.get, "/v1/users/a%0Ab/badge", nil, "", 422), (.get, "/v1/users/a%ZZ/badge", nil, "", 400),
        (.get, "/v1/messages/none/trace?user=bob", nil, "", 404),
        (.get, "/v1/messages/none/trace", nil, "", 400),
    ]

    @Test(arguments: misuses)
    func `misuse has its answer`(
        _ method: HTTPMethod, _ target: String, _ body: String?, _ type: String, _ status: Int
    ) async throws {
        let answer = try await server.call(method, target, bearer: key, body: body, type: type)
        #expect(answer.status == status, "\(target) \(answer.text)")
        #expect(answer.code != nil)
        if status == 405 { #expect(answer.response.headers["Allow"] != nil) }
    }

    @Test func `a body without a length is asked for one, a huge one is refused`() async throws {
        let connection = try await server.connect()
        defer { connection.close() }
        connection.send(
            Array(
                "POST /v1/messages HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer \(key)\r\n\r\n".utf8))
        #expect(try await connection.answer().status == 411)
        connection.send(
            Array("POST /v1/messages HTTP/1.1\r\nHost: t\r\nContent-Length: 1048577\r\n\r\n".utf8))
        let answer = try await connection.answer()
        #expect(answer.status == 413 && answer.code == "body_too_large")
    }

    @Test func `reads move the badge and a seq above the head is refused`() async throws {
        _ = try await post(TestServer.message("r-1", to: ["bob"]))
        _ = try await post(TestServer.message("r-2", to: ["bob"]))
        #expect(
            try await server.call(.get, "/v1/users/bob/badge", bearer: key).text
                == #"{"total_unread":2,"total_mention":0,"muted_unread":0,"badge_projection_mailbox_seq":2}"#)
        let beyond = try await server.call(
            .post, "/v1/users/bob/reads", bearer: key, body: #"{"conversation_id":"c-1","mailbox_seq":99}"#)
        #expect(beyond.status == 422 && beyond.code == "seq_beyond_head")
        let read = try await server.call(
            .post, "/v1/users/bob/reads", bearer: key, body: #"{"conversation_id":"c-1","message_id":"r-1"}"#)
        #expect(read.json?["total_unread"]?.integer == 1)
        let own = try await server.call(
            .post, "/v1/reads", bearer: server.credential("bob", "phone"), body: #"{"all":true}"#)
        #expect(own.json?["total_unread"]?.integer == 0)
        let page = try await server.call(
            .get, "/v1/mailbox?after=2", bearer: server.credential("bob", "phone"))
        #expect(page.json?["entries"]?.elements.first { $0["kind"]?.string == "read" } != nil)
    }

    @Test func `conversations come in pages by id`() async throws {
        for id in ["a", "b", "c"] {
            _ = try await post(
                TestServer.message("p-\(id)", to: ["bob"]).replacing("\"c-1\"", with: "\"\(id)\""))
        }
        let first = try await server.call(.get, "/v1/users/bob/conversations?limit=2", bearer: key)
        #expect(first.json?["next"]?.string == "b")
        let second = try await server.call(
            .get, "/v1/conversations?limit=2&after=b", bearer: server.credential("bob", "phone"))
        #expect(second.json?["next"]?.isNull == true)
        #expect(second.json?["conversations"]?.elements.compactMap { $0["conversation_id"]?.string } == ["c"])
    }

    @Test func `a device registers, is listed without its token, and is signed out`() async throws {
        let token = String(repeating: "ab", count: 32)
        let credential = try server.credential("bob", "tablet")
        let body =
            #"{"tokens":[{"transport":"apns","token":"\#(token)","topic":"com.example.app","#
            + #""environment":"sandbox"}],"#
            + #""locale":"de","app_version":"1.2"}"#
        let registered = try await server.call(.put, "/v1/device", bearer: credential, body: body)
        #expect(registered.text == #"{"device":"tablet","wakeable":true,"transports":["apns"]}"#)
        let list = try await server.call(.get, "/v1/users/bob/devices", bearer: key)
        let device = list.json?["devices"]?.elements.first { _ in true }
        #expect(device?["device"]?.string == "tablet" && device?["online"]?.bool == false)
        #expect(device?["locale"]?.string == "de" && !list.text.contains("abab"))
        let message = try await post(TestServer.message("d-1", to: ["bob"]))
        #expect(message.json?["tasks"]?.integer == 1)
        let trace = try await server.call(.get, "/v1/messages/d-1/trace?user=bob", bearer: key)
        #expect(trace.json?["devices"]?.elements.count == 1)
        let gone = try await server.call(.delete, "/v1/users/bob/devices/tablet", bearer: key)
        #expect(gone.status == 204 && gone.response.body.isEmpty)
        #expect(server.database.tokenCount == 0)
        let put = try await server.call(.put, "/v1/users/bob/devices/desk", bearer: key, body: "{}")
        #expect(put.text == #"{"device":"desk","wakeable":false,"transports":[]}"#)
        let own = try server.credential("bob", "desk")
        #expect(try await server.call(.delete, "/v1/device", bearer: own).status == 204)
        #expect(try await server.call(.get, "/v1/badge", bearer: own).status == 200)
    }

    @Test func `a muted conversation makes no task but for a mention, and its unread stands apart`()
        async throws
    {
        _ = try await server.call(
            .put, "/v1/device", bearer: try server.credential("bob", "tablet"),
            body: #"{"tokens":[{"transport":"fcm","token":"t-1"}]}"#)
        let path = "/v1/users/bob/conversations/c-1/settings"
        let muted = try await server.call(
            .put, path, bearer: key, body: #"{"muted":true,"muted_until":"2100-01-01T00:00:00Z"}"#)
        #expect(muted.status == 200 && muted.json?["muted"]?.bool == true)
        #expect(muted.json?["muted_until"]?.string == "2100-01-01T00:00:00.000Z")
        #expect(try await post(TestServer.message("q-1", to: ["bob"])).json?["tasks"]?.integer == 0)
        let badge = try await server.call(.get, "/v1/users/bob/badge", bearer: key)
        #expect(badge.json?["total_unread"]?.integer == 0 && badge.json?["muted_unread"]?.integer == 1)
        let off = try await server.call(.put, path, bearer: key, body: #"{"muted":false}"#)
        #expect(off.json?["muted"]?.bool == false && off.json?["unread"]?.integer == 1)
        #expect(try await post(TestServer.message("q-2", to: ["bob"])).json?["tasks"]?.integer == 1)
        for (body, status) in [
            ("{}", 400), (#"{"muted":1}"#, 400),
            (#"{"muted":false,"muted_until":"2100-01-01T00:00:00Z"}"#, 422),
            (#"{"muted":true,"muted_until":"tomorrow"}"#, 422), (#"{"muted":true,"until":null}"#, 400),
        ] {
            #expect(try await server.call(.put, path, bearer: key, body: body).status == status, "\(body)")
        }
    }

    @Test func `settings are answered whole; what is left out stays, null clears`() async throws {
        let path = "/v1/users/bob/settings"
        func put(_ body: String) async throws -> TestAnswer {
            try await server.call(.put, path, bearer: key, body: body)
        }
        let first = try await put(
            #"{"quiet_hours":{"start":"22:00","end":"07:05"},"time_zone":"Asia/Shanghai","locale":"zh-Hans"}"#
        )
        let whole =
            #"{"quiet_hours":{"start":"22:00","end":"07:05"},"time_zone":"Asia/Shanghai","locale":"zh-Hans"}"#
        #expect(first.status == 200 && first.text == whole)
        #expect(try await put("{}").text == whole)
        let second = try await put(#"{"quiet_hours":null,"locale":"zh-Hant"}"#)
        #expect(
            second.text == #"{"quiet_hours":null,"time_zone":"Asia/Shanghai","locale":"zh-Hant"}"#)
        #expect(
            try await put(#"{"time_zone":null,"locale":null}"#).text
                == #"{"quiet_hours":null,"time_zone":null,"locale":null}"#)
    }

    @Test(arguments: [
        (#"{"time_zone":"Asia/Shangai"}"#, 422, "time_zone"), (#"{"time_zone":"../x"}"#, 422, "time_zone"),
        (#"{"time_zone":8}"#, 400, "time_zone"),
        (#"{"quiet_hours":{"start":"22:00"}}"#, 400, "quiet_hours.end"),
        (#"{"quiet_hours":{"start":"24:00","end":"07:00"}}"#, 422, "quiet_hours.start"),
        (#"{"quiet_hours":{"start":"22:00","end":"7:00"}}"#, 422, "quiet_hours.end"),
        (#"{"quiet_hours":{"start":"22:00","end":"07:60"}}"#, 422, "quiet_hours.end"),
        (#"{"quiet_hours":{"start":1320,"end":420}}"#, 400, "quiet_hours.start"),
        (#"{"quiet_hours":"22-07"}"#, 400, "quiet_hours"), (#"{"quiet_hour":null}"#, 400, "quiet_hour"),
        (#"{"quiet_hours":{"start":"22:00","end":"07:00","zone":"x"}}"#, 400, "quiet_hours.zone"),
        (#"{"locale":"zh Hans"}"#, 422, "locale"),
    ])
    func `settings that cannot be are refused, the field named`(body: String, status: Int, field: String)
        async throws
    {
        let answer = try await server.call(.put, "/v1/users/bob/settings", bearer: key, body: body)
        #expect(answer.status == status && answer.json?["detail"]?.string?.contains(field) == true, "\(body)")
    }

    @Test func `in a user's quiet hours plain messages make no task`() async throws {
        _ = try await server.call(
            .put, "/v1/device", bearer: try server.credential("bob", "tablet"),
            body: #"{"tokens":[{"transport":"fcm","token":"t-1"}],"time_zone":"Not/Known"}"#)
        _ = try await server.call(
            .put, "/v1/users/bob/settings", bearer: key,
            body: #"{"quiet_hours":{"start":"00:00","end":"00:00"}}"#)
        #expect(try await post(TestServer.message("q-1", to: ["bob"])).json?["tasks"]?.integer == 0)
        let mention = TestServer.message("q-2", to: ["bob"], more: #","mentions":{"users":["bob"]}"#)
        #expect(try await post(mention).json?["tasks"]?.integer == 1)
        let badge = try await server.call(.get, "/v1/users/bob/badge", bearer: key)
        #expect(badge.json?["total_unread"]?.integer == 2)
    }

    static let deviceCalls: [(HTTPMethod, String, String?)] = [
        (.put, "/v1/device", "{}"), (.delete, "/v1/device", nil), (.get, "/v1/badge", nil),
        (.get, "/v1/mailbox", nil), (.get, "/v1/conversations", nil),
        (.post, "/v1/mailbox/applied", #"{"mailbox_seq":0}"#), (.post, "/v1/reads", #"{"all":true}"#),
    ]

    @Test(arguments: deviceCalls)
    func `a remote logout revokes the credentials issued before it`(
        method: HTTPMethod, path: String, body: String?
    ) async throws {
        let before = try server.credential("bob", "phone")
        let gone = try await server.call(.delete, "/v1/users/bob/devices/phone", bearer: key)
        #expect(gone.status == 204)
        let refused = try await server.call(method, path, bearer: before, body: body)
        #expect(refused.status == 401 && refused.code == "credential_revoked")
        let after = try server.credential("bob", "phone", issuedIn: 1)
        #expect(try await server.call(method, path, bearer: after, body: body).status < 300)
        let other = try server.credential("bob", "tablet")
        #expect(try await server.call(method, path, bearer: other, body: body).status < 300)
    }

    @Test func `a mailbox page tells where it stands`() async throws {
        for index in 1...3 { _ = try await post(TestServer.message("b-\(index)", to: ["bob"])) }
        let credential = try server.credential("bob", "phone")
        let page = try #require(
            try await server.call(.get, "/v1/mailbox?after=1&limit=1", bearer: credential).json)
        #expect(page["mailbox_seq"]?.integer == 3 && page["has_more"]?.bool == true)
        #expect(page["entries"]?.elements.compactMap { $0["mailbox_seq"]?.integer } == [2])
        #expect(page["badge"]?["total_unread"]?.integer == 3)
        #expect(try await server.call(.get, "/v1/mailbox?after=9", bearer: credential).status == 422)
        #expect(try await server.call(.get, "/v1/mailbox?limit=201", bearer: credential).status == 422)
        _ = try await server.call(.put, "/v1/device", bearer: credential, body: "{}")
        let applied = try await server.call(
            .post, "/v1/mailbox/applied", bearer: credential, body: #"{"mailbox_seq":3}"#)
        #expect(applied.status == 204 && server.database.appliedSeq(of: DeviceID("phone")) == 3)
        let beyond = try await server.call(
            .post, "/v1/mailbox/applied", bearer: credential, body: #"{"mailbox_seq":4}"#)
        #expect(beyond.code == "seq_beyond_head")
    }

    @Test func `while the database is away nothing is taken, and then it works again`() async throws {
        _ = try await post(TestServer.message("w-1", to: ["bob"]))
        server.database.isAway = true
        let away = try await post(TestServer.message("w-2", to: ["bob"]))
        #expect(away.status == 503 && away.code == "unavailable")
        #expect(away.response.headers["Retry-After"] == "1")
        server.database.isAway = false
        var answer = try await post(TestServer.message("w-2", to: ["bob"]))
        while answer.status == 503 { answer = try await post(TestServer.message("w-2", to: ["bob"])) }
        #expect(answer.status == 202 && server.database.entryCount == 2)
    }

    @Test func `a standby answers health only`() async throws {
        server.health.isStandby = true
        server.health.setMissing(["standby"])
        #expect(try await server.call(.get, "/healthz").status == 200)
        let ready = try await server.call(.get, "/readyz")
        #expect(ready.status == 503 && ready.text == #"{"ready":false,"missing":["standby"]}"#)
        let other = try await server.call(.get, "/v1/users/bob/badge", bearer: key)
        #expect(other.status == 503 && other.code == "standby")
    }

    @Test func `HEAD is answered as GET without a body`() async throws {
        let answer = try await server.call(.head, "/healthz")
        #expect(answer.status == 200 && answer.response.body.isEmpty)
    }

    @Test func `garbage, half requests and smuggled ones leave the server alive`() async throws {
        let requests = [
            "\u{16}\u{3}\u{1}\u{2}\u{0}garbage\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
            "GET /healthz HTTP/9.9\r\nHost: t\r\n\r\n",
            "POST /v1/messages HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST /v1/messages HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
            "GET /healthz HTTP/1.1\nHost: t\n\n", "GET /healthz HTTP/1.1\r\nHost: t\r\n folded: x\r\n\r\n",
        ]
        for request in requests {
            let connection = try await server.connect()
            connection.send(Array(request.utf8))
            let answer = try await connection.answer()
            #expect([400, 501, 505].contains(answer.status) && answer.code != nil, "\(answer.status)")
            connection.close()
        }
        let half = try await server.connect()
        half.send(Array("POST /v1/messages HTTP/1.1\r\nHost: t\r\nContent-Length: 100\r\n\r\n{".utf8))
        half.close()
        #expect(try await server.call(.get, "/healthz").status == 200)
    }

    @Test func `no token shows in an answer or a metric`() async throws {
        let token = "very-secret-token-\(Hex.encode(SecureRandom.bytes(count: 8)))"
        let credential = try server.credential("bob", "phone")
        let good = #"{"tokens":[{"transport":"fcm","token":"\#(token)"}]}"#
        let bad =
            #"{"tokens":[{"transport":"apns","token":"\#(token)","topic":"t","environment":"sandbox"}]}"#
        let answers = [
            try await server.call(.put, "/v1/device", bearer: credential, body: good),
            try await server.call(.put, "/v1/device", bearer: credential, body: bad),
            try await server.call(.get, "/v1/users/bob/devices", bearer: key),
            try await server.call(.get, "/v1/badge", bearer: token),
            try await server.call(.get, "/metrics", admin: true),
            try await server.call(.get, "/admin/status", bearer: server.adminToken, admin: true),
        ]
        for answer in answers { #expect(!answer.text.contains(token) && !answer.text.contains(credential)) }
    }
}
