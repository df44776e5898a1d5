/// What many sessions share: certificate, trust, protocols. Immutable and usable from every thread; to reload a
/// certificate make a new context for the sessions to come.
package final class TLSContext: Sendable {
    package enum Trust: Sendable {
        /// The certificates the operating system trusts.
        case system
        /// Only the certificates of a PEM file.
        case file(String)
        case certificates(pem: [UInt8])
    }

    /// A client's context. `protocols` are offered in ALPN, and one of them must then be chosen; empty: no ALPN.
    package static func client(trust: Trust, protocols: [String]) throws(TLSError) -> TLSContext {
        TLSContext()
    }

    /// A server's context: the chain with the leaf first. `protocols` in order of preference; a client that offers
    /// ALPN without one of them is refused, a client without ALPN is accepted.
    package static func server(
        certificateChainPEM: [UInt8], privateKeyPEM: [UInt8], protocols: [String]
    ) throws(TLSError) -> TLSContext {
        TLSContext()
    }

    package static func server(
        certificateChainFile: String, privateKeyFile: String, protocols: [String]
    ) throws(TLSError) -> TLSContext {
        TLSContext()
    }

    private init() {}

    /// A client session that will accept only a certificate for `host` (a DNS name or an IP address).
    package func clientSession(host: String) throws(TLSError) -> TLSSession { TLSSession() }

    package func serverSession() throws(TLSError) -> TLSSession { TLSSession() }
}
