import Testing

@testable import Wire

@Suite struct TLSSessionTests {
    let certificates: TestCertificates

    init() throws { certificates = try TestCertificates() }

    @Test(arguments: [1, 2, 3, 5, 7, 16, 100, 1000, Int.max])
    func `both sides understand each other however the bytes are split`(pieceSize: Int) throws {
        let pair = try TLSPair(certificates: certificates)
        pair.talk(pieceSize: pieceSize)
        #expect(pair.client.state == .established)
        #expect(pair.server.state == .established)
        let long = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        try pair.client.send(Array("hello".utf8))
        try pair.server.send(long)
        pair.talk(pieceSize: pieceSize)
        #expect(pair.serverReceived == Array("hello".utf8))
        #expect(pair.clientReceived == long)
        #expect(pair.client.version == "TLSv1.3")
    }

    @Test(arguments: ["127.0.0.1", "::1", "localhost"])
    func `a certificate is valid for the names and addresses it lists`(host: String) throws {
        let pair = try TLSPair(host: host, certificates: certificates)
        pair.talk()
        #expect(pair.client.state == .established)
    }

    @Test(arguments: ["example.org", "127.0.0.2", "localhost.example.org", "sub.localhost"])
    func `a certificate for another host is refused by the client and told to the server`(host: String) throws
    {
        let pair = try TLSPair(host: host, certificates: certificates)
        pair.talk()
        guard case .peerNotTrusted = pair.clientError else {
            Issue.record("got \(String(describing: pair.clientError))")
            return
        }
        #expect(pair.client.state == .failed(try #require(pair.clientError)))
        guard case .handshakeFailed = pair.serverError else {
            // In TLS 1.3 the server is done before the client has judged; the alert then breaks its session.
            guard case .brokenRecord = pair.serverError else {
                Issue.record("got \(String(describing: pair.serverError))")
                return
            }
            return
        }
    }

    @Test func `a certificate from an unknown authority is refused`() throws {
        let other = try TestCertificates()
        let pair = TLSPair(
            client: try other.clientContext().clientSession(host: "localhost"),
            server: try certificates.serverContext().serverSession())
        pair.talk()
        guard case .peerNotTrusted = pair.clientError else {
            Issue.record("got \(String(describing: pair.clientError))")
            return
        }
    }

    @Test func `an expired certificate is refused`() throws {
        let validity = X509.Validity(from: 0, until: 86_400)
        let expired = try certificates.authority.issue(for: [.dns("localhost")], validity: validity)
        let context = try TLSContext.server(
            certificateChainPEM: Array(expired.certificatePEM.utf8),
            privateKeyPEM: Array(expired.privateKeyPEM.utf8), protocols: [])
        let pair = TLSPair(
            client: try certificates.clientContext().clientSession(host: "localhost"),
            server: try context.serverSession())
        pair.talk()
        #expect(pair.clientError == .peerNotTrusted(reason: "certificate has expired"))
    }

    @Test func `the server's first choice among the offered protocols is taken`() throws {
        let pair = TLSPair(
            client: try certificates.clientContext(protocols: ["http/1.1", "h2"]).clientSession(
                host: "localhost"),
            server: try certificates.serverContext(protocols: ["h2", "http/1.1"]).serverSession())
        pair.talk()
        #expect(pair.client.negotiatedProtocol == "h2")
        #expect(pair.server.negotiatedProtocol == "h2")
    }

    @Test func `no common protocol ends the handshake on both sides`() throws {
        let pair = TLSPair(
            client: try certificates.clientContext(protocols: ["h2"]).clientSession(host: "localhost"),
            server: try certificates.serverContext(protocols: ["http/1.1"]).serverSession())
        pair.talk()
        #expect(pair.clientError == .noCommonProtocol)
        #expect(pair.serverError == .noCommonProtocol)
    }

    @Test func `a client that needs a protocol refuses a server without ALPN`() throws {
        let pair = TLSPair(
            client: try certificates.clientContext(protocols: ["h2"]).clientSession(host: "localhost"),
            server: try certificates.serverContext().serverSession())
        pair.talk()
        #expect(pair.clientError == .noCommonProtocol)
    }

    @Test func `a server with protocols accepts a client without ALPN`() throws {
        let pair = TLSPair(
            client: try certificates.clientContext().clientSession(host: "localhost"),
            server: try certificates.serverContext(protocols: ["http/1.1"]).serverSession())
        pair.talk()
        #expect(pair.server.state == .established)
        #expect(pair.server.negotiatedProtocol == nil)
    }

    @Test func `close_notify tells a finished stream from a truncated one`() throws {
        let pair = try TLSPair(certificates: certificates)
        pair.talk()
        try pair.server.send([1, 2, 3])
        pair.server.close()
        pair.server.close()
        pair.talk()
        #expect(pair.clientReceived == [1, 2, 3])
        #expect(pair.client.state == .closedByPeer)
        try pair.client.transportEnded()
        #expect(throws: TLSError.truncated) { try pair.server.transportEnded() }
        #expect(throws: TLSError.notOpen) { try pair.server.send([1]) }
    }

    @Test func `a forged record is an error and the peer is told`() throws {
        let pair = try TLSPair(certificates: certificates)
        pair.talk()
        try pair.client.send([1, 2, 3])
        var record: [UInt8] = []
        pair.client.takeCiphertext(into: &record)
        record[record.count - 1] ^= 1
        var plaintext: [UInt8] = []
        #expect(throws: TLSError.self) { try pair.server.receive(record, plaintext: &plaintext) }
        #expect(plaintext.isEmpty)
        #expect(pair.server.hasPendingCiphertext)
    }

    @Test func `nothing is sent before the handshake is complete`() throws {
        let pair = try TLSPair(certificates: certificates)
        #expect(throws: TLSError.notOpen) { try pair.client.send([1]) }
        #expect(throws: TLSError.handshakeFailed(reason: "the peer closed the connection")) {
            try pair.client.transportEnded()
        }
    }

    @Test func `plain text instead of TLS is a handshake error`() throws {
        let server = try certificates.serverContext().serverSession()
        var plaintext: [UInt8] = []
        #expect(throws: TLSError.handshakeFailed(reason: "http request")) {
            try server.receive(Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8), plaintext: &plaintext)
        }
    }

    @Test func `a key that does not fit the certificate is a configuration error`() throws {
        let other = try TestCertificates()
        #expect(throws: TLSError.self) {
            try TLSContext.server(
                certificateChainPEM: Array(certificates.server.certificatePEM.utf8),
                privateKeyPEM: Array(other.server.privateKeyPEM.utf8), protocols: [])
        }
        #expect(throws: TLSError.badConfiguration(reason: "no certificate in the PEM text")) {
            try TLSContext.client(trust: .certificates(pem: []), protocols: [])
        }
        #expect(throws: TLSError.self) {
            try TLSContext.client(trust: .file("/nonexistent/authority.pem"), protocols: [])
        }
    }
}
