import Domain
import Engine
import InMemory
import Testing
import Wire

@testable import API

@Suite("The admin listener", .timeLimit(.minutes(1)))
struct AdminRoutesTests {
    private let server: TestServer

    init() throws { server = try TestServer() }

    private func call(_ method: HTTPMethod, _ target: String, _ body: String? = nil) async throws
        -> TestAnswer
    {
        try await server.call(method, target, bearer: server.adminToken, body: body, admin: true)
    }

    @Test func `the token is asked for, save for health and the metrics on loopback`() async throws {
        #expect(try await server.call(.get, "/admin/tenants", admin: true).status == 401)
        #expect(try await server.call(.get, "/admin/tenants", bearer: "no", admin: true).status == 401)
        #expect(
            try await server.call(.get, "/admin/tenants", bearer: server.apiKey(), admin: true).status == 401)
        for path in ["/healthz", "/readyz", "/metrics", "/openapi.json"] {
            #expect(try await server.call(.get, path, admin: true).status == 200)
        }
    }

    @Test func `a tenant is made, changed at once, listed and removed`() async throws {
        let made = try await call(
            .post, "/admin/tenants",
            #"{"tenant":"shop-1","policy":{"push_merge_window_ms":0,"time_zone":"Asia/Tokyo"}}"#)
        #expect(made.status == 201 && made.json?["policy"]?["push_merge_window_ms"]?.integer == 0)
        #expect(made.json?["policy"]?["push_ttl_s"]?.integer == 86_400)
        #expect(try await call(.post, "/admin/tenants", #"{"tenant":"shop-1"}"#).code == "already_exists")
        let changed = try await call(
            .patch, "/admin/tenants/shop-1",
            #"{"policy":{"badge_counts_muted":true,"time_zone":null},"paused":true}"#)
        #expect(changed.json?["policy"]?["badge_counts_muted"]?.bool == true)
        #expect(changed.json?["policy"]?["time_zone"]?.string == "UTC")
        #expect(changed.json?["policy"]?["push_merge_window_ms"]?.integer == 0)
        #expect(server.tenants[TenantID("shop-1")]?.policy.badgeCountsMuted == true)
        #expect(server.tenants[TenantID("shop-1")]?.isPaused == true)
        let list = try await call(.get, "/admin/tenants")
        #expect(list.json?["tenants"]?.elements.compactMap { $0["tenant"]?.string } == ["demo", "shop-1"])
        #expect(try await call(.delete, "/admin/tenants/shop-1").status == 204)
        #expect(try await call(.get, "/admin/tenants/shop-1").code == "no_such_tenant")
    }

    static let refusals: [(String, Int)] = [
        (#"{}"#, 400), (#"{"tenant":"Shop"}"#, 422), (#"{"tenant":"-a"}"#, 422), (#"{"tenant":""}"#, 422),
        (#"{"tenant":"a","name":"x"}"#, 400), (#"{"tenant":"a","policy":[]}"#, 400),
        (#"{"tenant":"a","policy":{"push_merge_window":1}}"#, 400),
        (#"{"tenant":"a","policy":{"push_merge_window_ms":"5"}}"#, 400),
        (#"{"tenant":"a","policy":{"push_merge_window_ms":-1}}"#, 422),
        (#"{"tenant":"a","policy":{"tcp_user_timeout_ms":5000}}"#, 422),
        (#"{"tenant":"a","policy":{"time_zone":"Europe/Nowhere"}}"#, 422),
        (#"{"tenant":"a","policy":{"time_zone":"../../etc/passwd"}}"#, 422),
        (#"{"tenant":"a","policy":{"fcm_form":"both"}}"#, 422), (#"{"tenant":"a","mode":"shadow"}"#, 422),
        (#"{"tenant":"a","mode":"off"}"#, 422), (#"{"tenant":"a","paused":"yes"}"#, 400),
    ]

    @Test(arguments: refusals)
    func `a bad tenant is refused`(_ body: String, _ status: Int) async throws {
        #expect(try await call(.post, "/admin/tenants", body).status == status)
        #expect(server.directory.stored.tenants.isEmpty)
    }

    @Test func `of changes that come at once none undoes another`() async throws {
        #expect(try await call(.post, "/admin/tenants", #"{"tenant":"shop-2"}"#).status == 201)
        let keys = [
            "push_rate_per_user_per_min", "push_rate_per_conversation_per_min", "mention_reserve",
            "rtc_voip_push_daily_quota", "wake_budget_per_hour", "push_retry_max_attempts",
        ]
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for key in keys {
                group.addTask {
                    try await call(.patch, "/admin/tenants/shop-2", #"{"policy":{"\#(key)":77}}"#).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == keys.map { _ in 200 })
        let policy = try await call(.get, "/admin/tenants/shop-2").json?["policy"]
        for key in keys { #expect(policy?[key]?.integer == 77, "\(key)") }
    }

    @Test func `an API key is shown once, works, and is revoked at once`() async throws {
        let made = try await call(.post, "/admin/tenants/demo/api_keys", #"{"name":"chat backend"}"#)
        let key = try #require(made.json?["key"]?.string)
        let prefix = try #require(made.json?["prefix"]?.string)
        #expect(made.status == 201 && key.hasPrefix(prefix))
        let list = try await call(.get, "/admin/tenants/demo/api_keys")
        #expect(list.text.contains(prefix) && !list.text.contains(key))
        #expect(try await server.call(.get, "/v1/users/bob/badge", bearer: key).status == 200)
        #expect(try await call(.delete, "/admin/tenants/demo/api_keys/\(prefix)").status == 204)
        #expect(try await server.call(.get, "/v1/users/bob/badge", bearer: key).status == 401)
        #expect(try await call(.delete, "/admin/tenants/demo/api_keys/\(prefix)").status == 404)
        #expect(try await call(.post, "/admin/tenants/demo/api_keys", "{}").status == 400)
        #expect(try await call(.post, "/admin/tenants/none/api_keys", #"{"name":"x"}"#).status == 404)
    }

    @Test func `client keys are replaced and verify from then on`() async throws {
        let secret = SecureRandom.bytes(count: 32)
        let pem = try ECDSAP256.PrivateKey.generate().publicKey.pem.replacing("\n", with: "\\n")
        let put = try await call(
            .put, "/admin/tenants/demo/client_keys",
            #"{"keys":[{"kid":"n","alg":"HS256","secret":"\#(Base64URL.encode(secret))"},"#
                + #"{"kid":"e","alg":"ES256","public_key":"\#(pem)"}]}"#)
        #expect(put.text == #"{"keys":[{"kid":"n","alg":"HS256"},{"kid":"e","alg":"ES256"}]}"#)
        #expect(try await server.call(.get, "/v1/badge", bearer: server.credential("bob", "p")).status == 401)
        #expect(server.directory.stored.clientKeys.allSatisfy { $0.sealed != secret })
        for bad in [
            #"{"kid":"a","alg":"HS256","secret":"c2hvcnQ"}"#, #"{"kid":"a","alg":"RS256"}"#,
            #"{"kid":"a","alg":"ES256","public_key":"x"}"#, #"{"kid":"","alg":"HS256"}"#,
            #"{"kid":"a","alg":"HS256","public_key":"x"}"#,
        ] {
            #expect(
                try await call(.put, "/admin/tenants/demo/client_keys", #"{"keys":[\#(bad)]}"#).status == 422)
        }
    }

    @Test func `a provider's credential is checked, sealed, shown without secrets and removed`() async throws
    {
        let path = "/admin/tenants/demo/providers/apns"
        #expect(try await call(.put, path, #"{"key":"x"}"#).code == "invalid_value")
        #expect(try await call(.get, path).status == 404)
        let put = try await call(.put, path, #"{"team_id":"T","private_key":"very secret"}"#)
        #expect(put.status == 200 && !put.text.contains("very secret"))
        #expect(server.credentialChanges == ["1/apns"])
        #expect(try await call(.get, path).json?["credential"]?["team_id"]?.string == "T")
        #expect(try await call(.delete, path).status == 204)
        #expect(server.credentialChanges == ["1/apns", "1/apns"])
        #expect(try await call(.put, "/admin/tenants/demo/providers/sms", "{}").status == 404)
    }

    @Test func `devices are looked up with their presence`() async throws {
        let credential = try server.credential("bob", "phone")
        _ = try await server.call(.put, "/v1/device", bearer: credential, body: "{}")
        let found = try await call(.get, "/admin/devices?tenant=demo&user=bob")
        let device = found.json?["devices"]?.elements.first { _ in true }
        #expect(device?["device"]?.string == "phone" && device?["online"]?.bool == false)
        for key in ["connection", "node", "connected_at", "pushed_seq"] {
            #expect(device?[key]?.isNull == true)
        }
        #expect(try await call(.get, "/admin/devices?tenant=none&user=bob").status == 404)
        #expect(try await call(.get, "/admin/devices?tenant=demo").status == 400)
    }

    @Test func `status, metrics and explain tell of what happened`() async throws {
        _ = try await server.call(
            .post, "/v1/messages", bearer: server.apiKey(), body: TestServer.message("m", to: ["bob"]))
        let status = try await call(.get, "/admin/status")
        #expect(status.json?["lease"]?["held"]?.bool == true)
        #expect(status.json?["shards"]?.elements.count == 2)
        let metrics = try await server.call(.get, "/metrics", admin: true)
        #expect(metrics.text.contains("\nrouse_messages_total 1\n"))
        #expect(
            metrics.text.contains(
                #"rouse_http_requests_total{listener="public",route="/v1/messages",status="202"} 1"#))
        let explained = try await call(.get, "/admin/explain?tenant=demo&message_id=m&user=bob")
        #expect(explained.status == 200 && explained.json?["mailbox_seq"]?.integer == 1)
        #expect(try await call(.get, "/admin/explain?tenant=none&message_id=m&user=bob").status == 404)
        #expect(try await call(.get, "/admin/explain?tenant=demo&user=bob").status == 400)
    }

    @Test func `while the database is away changes are refused and change nothing`() async throws {
        server.database.isAway = true
        let answer = try await call(.post, "/admin/tenants", #"{"tenant":"late"}"#)
        #expect(answer.status == 503 && answer.response.headers["Retry-After"] != nil)
        #expect(server.tenants[TenantID("late")]?.key == nil)
    }
}
