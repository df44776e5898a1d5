/// One TLS connection between ciphertext and plaintext, without I/O; belongs to one thread at a time.
///
/// After every call that may produce ciphertext (`start`, `receive`, `send`, `close`) write what `takeCiphertext`
/// gives, also after an error: it holds the alert for the peer.
package final class TLSSession {
    package enum State: Equatable, Sendable {
        case handshaking
        case established
        /// The peer sent close_notify; we may still send.
        case closedByPeer
        case failed(TLSError)
    }

    init() {}

    package private(set) var state = State.handshaking
    /// What ALPN chose, once established.
    package private(set) var negotiatedProtocol: String?
    package var hasPendingCiphertext: Bool { false }

    /// Begins the handshake: a client's hello becomes pending. A server needs no start.
    package func start() throws(TLSError) {}

    /// Takes bytes from the peer and appends the plaintext they reveal. Plaintext before an error is appended too.
    package func receive(_ ciphertext: Span<UInt8>, plaintext: inout [UInt8]) throws(TLSError) {}
    package func receive(_ ciphertext: [UInt8], plaintext: inout [UInt8]) throws(TLSError) {
        try receive(ciphertext.span, plaintext: &plaintext)
    }

    /// Encrypts all of it; the ciphertext becomes pending.
    package func send(_ plaintext: Span<UInt8>) throws(TLSError) {}
    package func send(_ plaintext: [UInt8]) throws(TLSError) { try send(plaintext.span) }

    /// Appends the pending ciphertext to `output` and forgets it.
    package func takeCiphertext(into output: inout [UInt8]) {}

    /// Queues our close_notify; once only, harmless after a failure.
    package func close() {}

    /// Tells the session that the transport ended; throws `truncated` when the peer had not said so.
    package func transportEnded() throws(TLSError) {}
}
