import Testing
import Wire

@testable import Providers

struct CredentialTests {
    private static func apns(_ replacements: [String: String] = [:]) throws -> [UInt8] {
        var members = [
            "team_id": "\"TEAM123456\"", "key_id": "\"KEY1234567\"", "topics": #"["com.example.app"]"#,
            "private_key": quoted(try ECDSAP256.PrivateKey.generate().pem),
        ]
        for (key, value) in replacements { members[key] = value.isEmpty ? nil : value }
        return Array("{\(members.map { "\"\($0)\":\($1)" }.joined(separator: ","))}".utf8)
    }

    private static func fcm(_ replacements: [String: String] = [:]) throws -> [UInt8] {
        var members = [
            "type": "\"service_account\"", "project_id": "\"demo-1\"", "private_key_id": "\"k\"",
            "client_email": "\"a@b\"", "token_uri": "\"https://oauth2.googleapis.com/token\"", "extra": "1",
            "private_key": quoted(try RSASHA256.PrivateKey.generate().pem),
        ]
        for (key, value) in replacements { members[key] = value.isEmpty ? nil : value }
        let account = members.map { "\"\($0)\":\($1)" }.joined(separator: ",")
        return Array("{\"service_account\":{\(account)}}".utf8)
    }

    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `an APNs credential is taken and summed up without its key`() throws {
        let credential = try APNsCredential.parse(Self.apns())
        #expect(credential.topics == ["com.example.app"])
        #expect(
            String(decoding: credential.summary, as: UTF8.self)
                == #"{"team_id":"TEAM123456","key_id":"KEY1234567","topics":["com.example.app"]}"#)
    }

    @Test func `a wrong member of an APNs credential is named`() throws {
        let wrong = [
            ("team_id", "\"TEAM\""), ("team_id", "\"team123456\""), ("key_id", "7"), ("key_id", ""),
            ("topics", "[]"), ("topics", "\"com.example\""), ("topics", #"["a b"]"#),
            ("private_key", "\"x\""),
            ("private_key", Self.quoted(try RSASHA256.PrivateKey.generate().pem)), ("typo", "1"),
        ]
        for (field, value) in wrong {
            let json = try Self.apns([field: value])
            let error = #expect(throws: CredentialError.self) { try APNsCredential.parse(json) }
            #expect(error?.field == field)
        }
    }

    @Test func `a service account is taken as Google gives it`() throws {
        let credential = try FCMCredential.parse(Self.fcm())
        #expect(credential.projectID == "demo-1")
        #expect(credential.tokenURI.authority == "oauth2.googleapis.com")
        #expect(credential.tokenURI.path == "/token")
    }

    @Test func `a wrong member of a service account is named`() throws {
        let wrong = [
            ("type", "\"user\""), ("project_id", "\"a/b\""), ("private_key_id", ""), ("client_email", ""),
            ("token_uri", "\"http://oauth2.googleapis.com/token\""), ("private_key", "\"x\""),
            ("private_key", Self.quoted(try ECDSAP256.PrivateKey.generate().pem)),
        ]
        for (field, value) in wrong {
            let json = try Self.fcm([field: value])
            let error = #expect(throws: CredentialError.self) { try FCMCredential.parse(json) }
            #expect(error?.field == "service_account." + field)
        }
    }

    @Test func `an endpoint is https and nothing but host, port and path`() {
        #expect(ProviderEndpoint("https://api.push.apple.com")?.authority == "api.push.apple.com")
        #expect(ProviderEndpoint("https://127.0.0.1:8083")?.authority == "127.0.0.1:8083")
        #expect(ProviderEndpoint("https://[::1]:8083/x")?.authority == "[::1]:8083")
        #expect(ProviderEndpoint("https://[::1]:8083/x")?.host == "::1")
        for bad in [
            "http://a", "https://", "https://u@a", "https://a:0", "https://a:99999", "https://a/?q", "a",
        ] {
            #expect(ProviderEndpoint(bad) == nil, "\(bad)")
        }
    }

    @Test func `the token endpoint's answers are told apart`() {
        let token = Array(#"{"access_token":"ya29.x","expires_in":3599,"token_type":"Bearer"}"#.utf8)
        #expect(FCMTokenAnswer(status: 200, body: token) == .token("ya29.x", lifeSeconds: 3_599))
        let refused = Array(#"{"error":"invalid_grant","error_description":"secret words"}"#.utf8)
        #expect(FCMTokenAnswer(status: 400, body: refused) == .refused(reason: "invalid_grant"))
        #expect(FCMTokenAnswer(status: 503, body: []) == .unavailable(reason: "oauth_503"))
        #expect(FCMTokenAnswer(status: 429, body: []) == .unavailable(reason: "oauth_429"))
        let smuggled = Array(#"{"access_token":"a\r\nb"}"#.utf8)
        #expect(FCMTokenAnswer(status: 200, body: smuggled) == .unavailable(reason: "oauth_200"))
    }
}
