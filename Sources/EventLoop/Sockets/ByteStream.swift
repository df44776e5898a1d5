package import Wire

/// Why a stream broke, as opposed to being closed by its owner.
package enum StreamError: Error, Equatable {
    /// Reset, timed out, unreachable and the like: all alike to the owner.
    case system(SystemError)
    /// The TLS session refused or was refused.
    case tls(TLSError)
    /// The peer did not take what was left to send in time.
    case stalled
    /// The stream's gate was shut before all had left: what was queued is dropped.
    case gateShut
}

/// Whether bytes may still leave this process. One that was stopped for long wakes up with bytes in its
/// queues that it is no longer entitled to send: so the question is asked before each system call that
/// writes, not when the bytes are queued. What the kernel already has leaves.
package protocol WriteGate: AnyObject, Sendable {
    /// Any thread, and cheap: an atomic and a clock.
    var isOpen: Bool { get }
}

/// How an owner gives up a stream.
package enum CloseManner: Sendable {
    /// Sends what is queued, then the end of stream, discards what the peer still
    /// sends and closes when the peer does, after 2 s at the latest (10 s while
    /// bytes are unsent). The peer can read an answer to its end.
    case gracefully
    /// Drops what is queued.
    case immediately
    /// Drops what is queued and resets the connection.
    case reset
}

/// An ordered, reliable stream of bytes of one loop: a socket, or TLS over one. Call on its loop only.
/// Callbacks never come from within a call of the owner's.
package protocol ByteStream: AnyObject {
    var loop: EventLoop { get }
    /// Held until `byteStreamClosed` was called.
    var delegate: (any ByteStreamDelegate)? { get set }
    /// While it is shut nothing is written: the first attempt closes the stream with `gateShut`. Nil: no
    /// gate, always open.
    var gate: (any WriteGate)? { get set }
    /// Where the peer is; nil for a Unix socket.
    var peer: SocketAddress? { get }
    /// What ALPN chose; nil without TLS or without agreement.
    var applicationProtocol: String? { get }
    /// All bytes ever given to `send`.
    var queuedOffset: UInt64 { get }
    /// Of those, how many the kernel has accepted: `byteStreamProgressed` tells when it grew.
    var sentOffset: UInt64 { get }
    /// Bytes from here on have certainly not reached the peer; at least
    /// `sentOffset`, more where a part of what was encrypted together has left.
    var exposedOffset: UInt64 { get }

    /// Begins to read. Keeps the stream alive until it is closed.
    func start()
    /// Queues without limit: watch `unsentByteCount`. Ignored once the stream is closing.
    func send(_ bytes: [UInt8])
    /// Half close: after what is queued the peer sees the end; reading goes on.
    func finishSending()
    func close(_ manner: CloseManner)
    /// No more `received` until `resumeReading`: the kernel's buffer fills and the peer waits.
    func pauseReading()
    func resumeReading()
}

extension ByteStream {
    package var unsentByteCount: Int { Int(queuedOffset - sentOffset) }
}

/// What the owner of a stream learns. `byteStreamClosed` comes
/// exactly once and last, also after its own `close`.
package protocol ByteStreamDelegate: AnyObject {
    /// Valid during the call; keep a copy, never the slice: it lies in the loop's read buffer.
    func byteStream(_ stream: any ByteStream, received bytes: ArraySlice<UInt8>)
    /// The peer sends no more; sending may go on.
    func byteStreamReachedEnd(_ stream: any ByteStream)
    /// `sentOffset` has grown.
    func byteStreamProgressed(_ stream: any ByteStream)
    /// The TLS handshake is done; never called by a plain socket, which is ready from the start.
    func byteStreamBecameSecure(_ stream: any ByteStream)
    /// The descriptor is closed; nil if the owner closed it.
    func byteStreamClosed(_ stream: any ByteStream, error: StreamError?)
}

extension ByteStreamDelegate {
    package func byteStreamReachedEnd(_ stream: any ByteStream) { stream.close(.gracefully) }
    package func byteStreamProgressed(_ stream: any ByteStream) {}
    package func byteStreamBecameSecure(_ stream: any ByteStream) {}
}
