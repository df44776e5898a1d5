/// Why TLS could not be set up or go on. Texts are OpenSSL's reasons and hold no secrets.
package enum TLSError: Error, Equatable, Sendable {
    /// A certificate, key or trust anchor could not be used.
    case badConfiguration(reason: String)
    /// The peer's certificate is not trusted, expired, or for another host.
    case peerNotTrusted(reason: String)
    /// Nothing in common in ALPN.
    case noCommonProtocol
    case handshakeFailed(reason: String)
    /// The connection ended without close_notify: what was read may be incomplete.
    case truncated
    /// A record after the handshake was malformed or forged.
    case brokenRecord(reason: String)
    /// `send` before the handshake is complete, or after `close` or an error.
    case notOpen
}
