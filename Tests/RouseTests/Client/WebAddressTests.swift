import Testing

@testable import Rouse

@Suite struct WebAddressTests {
    @Test(arguments: [
        ("http://127.0.0.1:8080", false, "127.0.0.1", 8080),
        ("https://push.example.com", true, "push.example.com", 443),
        ("http://localhost/", false, "localhost", 80), ("https://[::1]:443", true, "[::1]", 443),
    ])
    func `a URL is taken apart`(url: String, isSecure: Bool, host: String, port: Int) throws {
        let address = try #require(WebAddress(parsing: url))
        #expect(address.isSecure == isSecure)
        #expect(address.host == host)
        #expect(Int(address.port) == port)
    }

    @Test(arguments: [
        "ftp://x", "http://", "http://:80", "http://x:port", "http://x:99999", "http://me@x", "http://x/path",
        "x",
        "http://x?q",
    ])
    func `what is no plain address is refused`(url: String) {
        #expect(WebAddress(parsing: url) == nil)
    }
}
