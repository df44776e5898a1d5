import Wire

/// A certificate for the loopback, made for one test.
struct TestTLS {
    private let authority: X509.Authority
    private let identity: X509.Identity
    private static let validity = X509.Validity(from: 1_577_836_800, until: 4_102_444_800)  // 2020 to 2100

    init() throws {
        authority = try X509.Authority(name: "Test", validity: Self.validity)
        identity = try authority.issue(for: X509.Name.loopback, validity: Self.validity)
    }

    func server(_ protocols: [String]) throws -> TLSContext {
        try TLSContext.server(
            certificateChainPEM: Array(identity.certificatePEM.utf8),
            privateKeyPEM: Array(identity.privateKeyPEM.utf8), protocols: protocols)
    }

    func client(_ protocols: [String]) throws -> TLSContext {
        try TLSContext.client(
            trust: .certificates(pem: Array(authority.certificatePEM.utf8)), protocols: protocols)
    }
}
