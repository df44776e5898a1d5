/// One TLS connection between ciphertext and plaintext, without I/O; belongs to one thread at a time.
///
/// After every call that may produce ciphertext (`start`, `receive`, `send`, `close`) write
/// what `takeCiphertext` gives, also after an error: it holds the alert for the peer.
package final class TLSSession {
    package enum State: Equatable, Sendable {
        case handshaking
        case established
        /// The peer sent close_notify; we may still send.
        case closedByPeer
        case failed(TLSError)
    }

    private let handle: TLSHandle
    private let demandsProtocol: Bool
    private var hasSentClose = false

    package private(set) var state = State.handshaking
    /// What ALPN chose, once established.
    package private(set) var negotiatedProtocol: String?

    init(_ handle: TLSHandle, demandsProtocol: Bool) {
        self.handle = handle
        self.demandsProtocol = demandsProtocol
    }

    package var hasPendingCiphertext: Bool { !handle.output.isEmpty }
    /// "TLSv1.2" or "TLSv1.3".
    package var version: String { handle.version }

    /// Begins the handshake: a client's hello becomes pending. A server needs no start.
    package func start() throws(TLSError) {
        guard state == .handshaking else { return }
        try advance()
    }

    /// Takes bytes from the peer and appends the plaintext they
    /// reveal. Plaintext before an error is appended too.
    package func receive(_ ciphertext: Span<UInt8>, plaintext: inout [UInt8]) throws(TLSError) {
        if case .failed(let error) = state { throw error }
        var failure: TLSError?
        handle.withInput(ciphertext) {
            do throws(TLSError) {
                if state == .handshaking { try advance() }
                if state == .established { try read(into: &plaintext) }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    package func receive(_ ciphertext: [UInt8], plaintext: inout [UInt8]) throws(TLSError) {
        try receive(ciphertext.span, plaintext: &plaintext)
    }

    /// Encrypts all of it; the ciphertext becomes pending.
    package func send(_ plaintext: Span<UInt8>) throws(TLSError) {
        guard state == .established || state == .closedByPeer, !hasSentClose else { throw .notOpen }
        guard !plaintext.isEmpty else { return }
        switch handle.write(plaintext) {
        case .done: return
        case .wantsMore, .closed: throw fail(.brokenRecord(reason: "the library could not write"))
        case .failed(_, let reason), .untrusted(let reason): throw fail(.brokenRecord(reason: reason))
        }
    }

    package func send(_ plaintext: [UInt8]) throws(TLSError) { try send(plaintext.span) }

    /// Appends the pending ciphertext to `output` and forgets it.
    package func takeCiphertext(into output: inout [UInt8]) {
        if output.isEmpty { swap(&output, &handle.output) } else { output.append(contentsOf: handle.output) }
        handle.output = []
    }

    /// Queues our close_notify; once only, harmless during the handshake and after a failure.
    package func close() {
        guard state == .established || state == .closedByPeer, !hasSentClose else { return }
        hasSentClose = true
        handle.sendCloseNotify()
    }

    /// Tells the session that the transport ended; throws `truncated` when the peer had not said so.
    package func transportEnded() throws(TLSError) {
        switch state {
        case .handshaking: throw fail(.handshakeFailed(reason: "the peer closed the connection"))
        case .established: throw fail(.truncated)
        case .closedByPeer: return
        case .failed(let error): throw error
        }
    }

    private func advance() throws(TLSError) {
        switch handle.handshake() {
        case .done: try establish()
        case .wantsMore: return
        case .closed: throw fail(.handshakeFailed(reason: "the peer closed the connection"))
        case .untrusted(let reason): throw fail(.peerNotTrusted(reason: reason))
        case .failed(let code, let reason):
            throw fail(
                TLSHandle.meansNoCommonProtocol(code) ? .noCommonProtocol : .handshakeFailed(reason: reason))
        }
    }

    private func establish() throws(TLSError) {
        negotiatedProtocol = handle.negotiatedProtocol
        guard negotiatedProtocol != nil || !demandsProtocol else {
            handle.sendCloseNotify()
            throw fail(.noCommonProtocol)
        }
        state = .established
    }

    private func read(into plaintext: inout [UInt8]) throws(TLSError) {
        switch handle.read(into: &plaintext) {
        case .done, .wantsMore: return
        case .closed: state = .closedByPeer
        case .failed(_, let reason), .untrusted(let reason): throw fail(.brokenRecord(reason: reason))
        }
    }

    private func fail(_ error: TLSError) -> TLSError {
        state = .failed(error)
        return error
    }
}
