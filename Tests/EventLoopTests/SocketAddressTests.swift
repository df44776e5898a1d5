import EventLoop
import Testing

struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1:8080"), ("[::1]:443", "[::1]:443"), ("*:80", "0.0.0.0:80"),
        (":0", "0.0.0.0:0"), ("localhost:9", "127.0.0.1:9"), ("unix:/run/x.sock", "unix:/run/x.sock"),
        ("[2001:DB8:0:0::1]:1", "[2001:db8::1]:1"),
    ])
    func `an address is read and written`(text: String, written: String) {
        #expect(SocketAddress(parsing: text)?.description == written)
    }

    @Test(arguments: [
        "", "127.0.0.1", "127.0.0.1:", "127.0.0.1:70000", "127.0.0.1:-1", "127.0.0.1:+1", "1.2.3:80",
        "::1:80",
        "[::1]", "example.com:80", "unix:", "[127.0.0.1]:80", "127.0.0.1: 80",
    ])
    func `what is no address is refused`(text: String) {
        #expect(SocketAddress(parsing: text) == nil)
    }

    @Test(arguments: [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0", "224.0.0.1", "255.255.255.255", "198.18.0.1", "::1", "::", "fe80::1", "fc00::1", "fd12::1",
        "::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::10.0.0.1", "2002:7f00:1::1", "2001:db8::1", "ff02::1",
    ])
    func `an address of the own network is not global`(text: String) {
        #expect(SocketAddress(numericHost: text, port: 443)?.isGloballyReachable == false)
    }

    @Test(arguments: ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::8.8.8.8"])
    func `an address of the Internet is global`(text: String) {
        #expect(SocketAddress(numericHost: text, port: 443)?.isGloballyReachable == true)
    }
}
