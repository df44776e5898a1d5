@testable import Wire

/// A certificate authority and a server certificate made for one test run.
struct TestCertificates {
    static let validity = X509.Validity(from: 0, until: 4_102_444_800)
    let authority: X509.Authority
    let server: X509.Identity

    init(names: [X509.Name] = X509.Name.loopback) throws {
        authority = try X509.Authority(name: "Test authority", validity: Self.validity)
        server = try authority.issue(for: names, validity: Self.validity)
    }

    func serverContext(protocols: [String] = []) throws -> TLSContext {
        try .server(
            certificateChainPEM: Array(server.certificatePEM.utf8),
            privateKeyPEM: Array(server.privateKeyPEM.utf8), protocols: protocols)
    }

    func clientContext(protocols: [String] = []) throws -> TLSContext {
        try .client(trust: .certificates(pem: Array(authority.certificatePEM.utf8)), protocols: protocols)
    }
}

/// A client and a server that talk through byte arrays.
final class TLSPair {
    let client: TLSSession
    let server: TLSSession
    var clientReceived: [UInt8] = []
    var serverReceived: [UInt8] = []
    var clientError: TLSError?
    var serverError: TLSError?

    init(client: TLSSession, server: TLSSession) {
        self.client = client
        self.server = server
    }

    convenience init(host: String = "localhost", certificates: TestCertificates) throws {
        self.init(
            client: try certificates.clientContext().clientSession(host: host),
            server: try certificates.serverContext().serverSession())
    }

    /// Moves bytes both ways, in pieces of at most `pieceSize`, until nothing is pending.
    func talk(pieceSize: Int = .max) {
        if clientError == nil { record(&clientError) { () throws(TLSError) in try client.start() } }
        while client.hasPendingCiphertext || server.hasPendingCiphertext {
            for piece in Self.pieces(of: client, size: pieceSize) where serverError == nil {
                record(&serverError) { () throws(TLSError) in
                    try server.receive(piece, plaintext: &serverReceived)
                }
            }
            for piece in Self.pieces(of: server, size: pieceSize) where clientError == nil {
                record(&clientError) { () throws(TLSError) in
                    try client.receive(piece, plaintext: &clientReceived)
                }
            }
        }
    }

    private func record(_ error: inout TLSError?, _ body: () throws(TLSError) -> Void) {
        do throws(TLSError) { try body() } catch let caught { error = caught }
    }

    static func pieces(of session: TLSSession, size: Int) -> [[UInt8]] {
        var bytes: [UInt8] = []
        session.takeCiphertext(into: &bytes)
        let size = min(size, max(bytes.count, 1))
        return stride(from: 0, to: bytes.count, by: size).map {
            Array(bytes[$0..<min($0 + size, bytes.count)])
        }
    }
}
