/// What many sessions share: certificate, trust, protocols. Immutable and usable from
/// every thread; to reload a certificate make a new context for the sessions to come.
package final class TLSContext: Sendable {
    package enum Trust: Sendable {
        /// The certificates the operating system trusts.
        case system
        /// Only the certificates of a PEM file.
        case file(String)
        case certificates(pem: [UInt8])
    }

    private let handle: TLSContextHandle
    private let demandsProtocol: Bool

    private init(isServer: Bool, protocols: [String]) throws(TLSError) {
        let names = protocols.map { Array($0.utf8) }
        guard names.allSatisfy({ (1...255).contains($0.count) }) else {
            throw .badConfiguration(reason: "an ALPN protocol name must have 1 to 255 bytes")
        }
        let wire = names.flatMap { [UInt8($0.count)] + $0 }
        guard let handle = TLSContextHandle(isServer: isServer, wireProtocols: wire) else {
            throw Self.rejected("TLS context")
        }
        self.handle = handle
        demandsProtocol = !isServer && !protocols.isEmpty
    }

    /// A client's context. `protocols` are offered in ALPN, and
    /// one of them must then be chosen; empty: no ALPN.
    package static func client(trust: Trust, protocols: [String]) throws(TLSError) -> TLSContext {
        let context = try TLSContext(isServer: false, protocols: protocols)
        switch trust {
        case .system: guard context.handle.trustSystem() else { throw rejected("system trust store") }
        case .file(let path):
            guard context.handle.trust(file: path) else { throw rejected("trust file \(path)") }
        case .certificates(let pem):
            for certificate in try certificates(in: pem) {
                guard context.handle.trust(certificateDER: certificate) else {
                    throw rejected("trust anchor")
                }
            }
        }
        return context
    }

    /// A server's context: the chain with the leaf first. `protocols` in order of preference; a
    /// client that offers ALPN without one of them is refused, a client without ALPN is accepted.
    package static func server(
        certificateChainPEM: [UInt8], privateKeyPEM: [UInt8], protocols: [String]
    ) throws(TLSError) -> TLSContext {
        let context = try TLSContext(isServer: true, protocols: protocols)
        let chain = try certificates(in: certificateChainPEM)
        guard context.handle.useLeaf(certificateDER: chain[0]) else { throw rejected("server certificate") }
        for certificate in chain.dropFirst() {
            guard context.handle.addToChain(certificateDER: certificate) else { throw rejected("chain") }
        }
        guard context.handle.use(try privateKey(in: privateKeyPEM)) else { throw rejected("private key") }
        return context
    }

    /// As above, from PEM files.
    package static func server(
        certificateChainFile: String, privateKeyFile: String, protocols: [String]
    ) throws(TLSError) -> TLSContext {
        let context = try TLSContext(isServer: true, protocols: protocols)
        guard context.handle.use(certificateChainFile: certificateChainFile, privateKeyFile: privateKeyFile)
        else {
            throw rejected("\(certificateChainFile) with \(privateKeyFile)")
        }
        return context
    }

    /// A client session that will accept only a certificate for `host` (a DNS name or an IP address).
    package func clientSession(host: String) throws(TLSError) -> TLSSession {
        guard !host.isEmpty, !host.utf8.contains(0) else {
            throw .badConfiguration(reason: "host name \(host)")
        }
        return try session(host: host)
    }

    package func serverSession() throws(TLSError) -> TLSSession { try session(host: nil) }

    private func session(host: String?) throws(TLSError) -> TLSSession {
        guard let session = TLSHandle(handle, host: host) else { throw Self.rejected("TLS session") }
        return TLSSession(session, demandsProtocol: demandsProtocol)
    }

    private static func rejected(_ what: String) -> TLSError {
        .badConfiguration(reason: "\(what): \(takeOpenSSLReason().text)")
    }

    private static func certificates(in pem: [UInt8]) throws(TLSError) -> [[UInt8]] {
        do throws(CryptoError) {
            let found = try PEM.blocks(in: pem).filter { $0.label == "CERTIFICATE" }
            if !found.isEmpty { return found.map(\.der) }
        } catch {
            throw .badConfiguration(reason: "certificates: \(error)")
        }
        throw .badConfiguration(reason: "no certificate in the PEM text")
    }

    private static func privateKey(in pem: [UInt8]) throws(TLSError) -> KeyHandle {
        do throws(CryptoError) {
            return try PEM.privateKey(in: pem)
        } catch {
            throw .badConfiguration(reason: "private key: \(error)")
        }
    }
}
