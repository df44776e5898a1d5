import EventLoop
import HTTP
import Testing
import Wire

struct HTTPClientTests {
    private let loop = EventLoop(label: "http-client")

    @Test func `a request is answered, over TLS and without`() async throws {
        let tls = try TestTLS()
        let plain = try serve()
        let secure = try serve(tls: tls.server(["http/1.1"]))
        let client = HTTPClient(connector: Connector(tls: try tls.client(["http/1.1"])))
        for url in ["http://\(plain.address)/a?b=1", "https://\(secure.address)/a?b=1"] {
            let response = try await client.send(.post, url, body: Array("x".utf8), on: loop)
            #expect(response.status == 200)
            #expect(String(decoding: response.body, as: UTF8.self) == "{POST /a?b=1 x}")
        }
        #expect(loop.sync { loop.timers.count } == 0)
    }

    @Test func `a certificate of a new context is used by the connections to come`() async throws {
        let (old, new) = (try TestTLS(), try TestTLS())
        let server = try serve(tls: old.server(["http/1.1"]))
        let client = HTTPClient(connector: Connector(tls: try new.client(["http/1.1"])))
        await #expect(throws: HTTPClientError.self) {
            _ = try await client.send(.get, "https://\(server.address)/", on: loop)
        }
        server.replaceTLS(try new.server(["http/1.1"]))
        #expect(try await client.send(.get, "https://\(server.address)/", on: loop).status == 200)
    }

    @Test func `a body above the limit is an error`() async throws {
        let server = try serve { _, responder in
            responder.respond(HTTPResponse(status: 200, body: [UInt8](repeating: 1, count: 100)))
        }
        var client = HTTPClient(connector: Connector())
        client.limits.bodyBytes = 99
        let url = "http://\(server.address)/"
        let error = await #expect(throws: HTTPClientError.self) {
            _ = try await client.send(.get, url, on: loop)
        }
        #expect(error == .parse(.bodyTooLarge))
    }

    @Test func `a server that never answers is given up in time`() async throws {
        let held = HTTPServerTests.Held()
        let server = try serve { _, responder in held.hold(responder) }
        let client = HTTPClient(connector: Connector(), timeoutMilliseconds: 12)
        let url = "http://\(server.address)/"
        let error = await #expect(throws: HTTPClientError.self) {
            _ = try await client.send(.get, url, on: loop)
        }
        #expect(error == .timedOut)
    }

    @Test(arguments: [
        ("http://a", "a", 80, "/", "a"), ("https://a.b:444/x?y=z", "a.b", 444, "/x?y=z", "a.b:444"),
        ("https://[::1]:8443", "::1", 8443, "/", "[::1]:8443"), ("http://a?q", "a", 80, "/?q", "a"),
    ])
    func `a URL is cut into its parts`(
        text: String, host: String, port: UInt16, target: String, authority: String
    ) {
        let url = HTTPURL(text)
        #expect(url?.host == host)
        #expect(url?.port == port)
        #expect(url?.target == target)
        #expect(url?.authority == authority)
    }

    @Test(arguments: [
        "", "ftp://a", "http://", "http://:80", "http://u@a/", "http://a b/", "http://a/#f", "http://a:x/",
        "http://[::1",
        "http://a:70000/", "http://a/\r\nX: y", "http://[::1]x/",
    ])
    func `what is no URL of ours is refused`(text: String) {
        #expect(HTTPURL(text) == nil)
    }
}
