import Domain
import Testing

@testable import Rouse

@Suite struct ConfigReaderTests {
    private func read(_ text: String?, _ environment: [String: String] = [:]) throws(ConfigError) -> Config {
        let file = text.map { (name: "rouse.json5", bytes: Array($0.utf8)) }
        return try ConfigReader(file: file, environment: environment).read()
    }

    @Test func `everything has a default`() throws {
        #expect(try read(nil) == Config())
        #expect(try read("{}") == Config())
        #expect(Config().database.privateDirectory == "./data")
    }

    @Test func `a whole file is read`() throws {
        let config = try read(
            """
            {
              // comments and bare keys
              public: {listen: "0.0.0.0:80", tls: {certificate_file: "a.pem", key_file: "b.pem"},
                       trusted_proxies: ["10.0.0.1"], cors_origins: ["https://app.example.com"]},
              admin: {listen: "[::1]:81", token_file: "token", tls: null},
              database: {url: "postgresql://db/rouse"},
              master_key_file: "master",
              providers: {
                apns: {production_url: "https://localhost:1", sandbox_url: "https://localhost:2",
                       ca_file: "ca"},
                fcm: {url: "https://localhost:3", ca_file: null},
                webpush: {ca_file: null, allow_private_addresses: true},
              },
              policy: {push_merge_window_ms: 0, badge_counts_muted: true, fcm_form: "data"},
              limits: {connections: 5, request_body_bytes: 2048, unread_output_bytes: 65536},
              lease: {duration_ms: 9000, renew_ms: 2000},
            }
            """)
        #expect(config.publicListener.listen == "0.0.0.0:80")
        #expect(config.publicListener.keyFile == "b.pem")
        #expect(config.trustedProxies == ["10.0.0.1"])
        #expect(config.corsOrigins == ["https://app.example.com"])
        #expect(config.adminListener.listen == "[::1]:81")
        #expect(config.adminTokenFile == "token")
        #expect(config.database.url == "postgresql://db/rouse")
        #expect(config.database.privateDirectory == nil)
        #expect(config.masterKeyFile == "master")
        #expect(config.providers.apnsSandboxURL == "https://localhost:2")
        #expect(config.providers.apnsCAFile == "ca")
        #expect(config.providers.fcmCAFile == nil)
        #expect(config.providers.webPushAllowsPrivateAddresses)
        #expect(config.policy.pushMergeWindow == 0)
        #expect(config.policy.badgeCountsMuted)
        #expect(config.policy.fcmForm == .data)
        #expect(config.limits.connections == 5)
        #expect(config.lease.durationMilliseconds == 9000)
    }

    @Test(arguments: [
        ("{\n publik: {}}", 2, "publik", "unknown key"),
        ("{public: {\n\n lisen: 'x'}}", 3, "public.lisen", "unknown key; did you mean public.listen?"),
        ("{public: {listen: 80}}", 1, "public.listen", "expected a string, found a number"),
        ("{public: 'x'}", 1, "public", "expected an object, found a string"),
        ("{public: null}", 1, "public", "expected an object, found null"),
        (
            "{public: {listen: 'somewhere'}}", 1, "public.listen",
            "expected an address and port such as 127.0.0.1:8080"
        ),
        (
            "{public: {cors_origins: [1]}}", 1, "public.cors_origins",
            "expected an array of strings, found a number"
        ),
        ("{limits: {\n connections: 0}}", 2, "limits.connections", "must lie between 1 and 1000000"),
        ("{limits: {connections: '5'}}", 1, "limits.connections", "expected a whole number, found a string"),
        ("{limits: {connections: 1.5}}", 1, "limits.connections", "expected a whole number, found a number"),
        ("{database: {url: 'mysql://x'}}", 1, "database.url", "expected postgresql://…"),
        ("{master_key_file: ''}", 1, "master_key_file", "must not be empty"),
        (
            "{policy: {\n push_merge_windw_ms: 0}}", 2, "policy.push_merge_windw_ms",
            "unknown key; did you mean policy.push_merge_window_ms?"
        ),
        (
            "{policy: {push_ttl_s: true}}", 1, "policy.push_ttl_s", "expected a whole number"
        ),
        (
            "{policy: {fcm_form: 'both'}}", 1, "policy.fcm_form", "must be one of notification, data"
        ),
        (
            "{providers: {fcm: {url: 'http://x'}}}", 1, "providers.fcm.url",
            "expected an https URL without a path"
        ),
    ])
    func `what is wrong is named with key and line`(text: String, line: Int, key: String, problem: String) {
        let error = ConfigError(source: "rouse.json5", line: line, key: key, problem: problem)
        #expect(throws: error) { try read(text) }
    }

    @Test func `a text that is no JSON5 is named with its line`() throws {
        let error = try #require(throws: ConfigError.self) { try read("{\n public: {,}}") }
        #expect(error.line == 2)
        #expect(error.description.hasPrefix("rouse.json5:2: "))
        #expect(throws: ConfigError.self) { try read("[]") }
        #expect(throws: ConfigError.self) { try read("") }
    }

    @Test(arguments: [
        ("{public: {tls: {key_file: 'k'}}}", "public.tls"),
        ("{database: {url: 'postgresql://x', embedded: {directory: 'd'}}}", "database"),
        ("{lease: {duration_ms: 1000, renew_ms: 900}}", "lease.renew_ms"),
    ])
    func `what cannot go together is refused`(text: String, key: String) throws {
        let error = try #require(throws: ConfigError.self) { try read(text) }
        #expect(error.key == key)
    }

    @Test func `the environment overrides the file`() throws {
        let config = try read(
            "{public: {listen: '127.0.0.1:1'}, database: {embedded: {directory: 'd'}}}",
            [
                "ROUSE_PUBLIC_LISTEN": "127.0.0.1:2", "ROUSE_DATABASE_URL": "postgresql://db/rouse",
                "ROUSE_LIMITS_CONNECTIONS": "7", "ROUSE_PUBLIC_CORS_ORIGINS": "https://a, https://b",
                "ROUSE_PROVIDERS_WEBPUSH_ALLOW_PRIVATE_ADDRESSES": "true", "ROUSE_PROVIDERS_FCM_CA_FILE": "",
                "ROUSE_POLICY_PUSH_MERGE_WINDOW_MS": "7", "HOME": "/root",
            ])
        #expect(config.publicListener.listen == "127.0.0.1:2")
        #expect(config.database.url == "postgresql://db/rouse")
        #expect(config.database.privateDirectory == nil)
        #expect(config.limits.connections == 7)
        #expect(config.policy.pushMergeWindow == 7)
        #expect(config.corsOrigins == ["https://a", "https://b"])
        #expect(config.providers.webPushAllowsPrivateAddresses)
        #expect(config.providers.fcmCAFile == nil)
    }

    @Test(arguments: [
        ("ROUSE_LIMITS_CONNECTIONS", "many"), ("ROUSE_PUBLIC_LISTEN", "80"),
        ("ROUSE_PROVIDERS_WEBPUSH_ALLOW_PRIVATE_ADDRESSES", "yes"), ("ROUSE_POLICY_PUSH_TTL_S", "long"),
    ])
    func `a wrong variable is named`(name: String, value: String) throws {
        let error = try #require(throws: ConfigError.self) { try read(nil, [name: value]) }
        #expect(error.source == name)
        #expect(error.line == nil)
    }

    @Test func `variables that look like ours and are none are told`() {
        let reader = ConfigReader(
            file: nil, environment: ["ROUSE_PUBLIC_LISTN": "x", "ROUSE_API_KEY": "x", "PATH": "x"])
        #expect(reader.unknownVariables == ["ROUSE_PUBLIC_LISTN"])
    }

    @Test func `a complaint about a database URL does not repeat its password`() throws {
        let error = try #require(throws: ConfigError.self) {
            try read("{database: {url: 'mysql://me:secret@db'}}")
        }
        #expect(!error.description.contains("secret"))
    }

    @Test func `no two keys share a variable`() {
        #expect(Set(ConfigKey.all.map(\.variable)).count == ConfigKey.all.count)
    }
}
