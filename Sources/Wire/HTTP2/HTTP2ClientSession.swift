/// The client side of one HTTP/2 connection: bytes in, bytes out, events drained by the caller; no I/O, no clock.
///
/// Belongs to one thread at a time.
package final class HTTP2ClientSession {
    package struct Options: Sendable {
        /// Streams assumed allowed until the peer's SETTINGS arrive; APNs allows one.
        package var initialPeerMaximumConcurrentStreams = 100
        /// A response body beyond this resets its stream with `cancel`.
        package var maximumBodyByteCount = 1 << 20
        /// How much the peer may send ahead on each stream.
        package var initialWindowByteCount = 1 << 20

        package init() {}
    }

    package init(options: Options = Options()) throws(HTTP2Error) {}

    /// Queues a request and gives its stream id; `tag` comes back with each of its events.
    ///
    /// Pseudo-header fields must come first. The body is kept, not copied, until it is sent.
    package func submit(_ headers: HTTP2Headers, body: [UInt8], tag: Int) throws(HTTP2Error) -> Int32 {
        throw .notSubmitted(reason: "not connected")
    }

    /// Queues RST_STREAM; the stream's `streamClosed` follows when it is written.
    package func reset(stream: Int32, errorCode: HTTP2ErrorCode) {}

    /// Queues a PING; its acknowledgement brings `opaque` back.
    package func ping(opaque: UInt64) {}

    /// Queues a GOAWAY: no new streams from the peer; our own open streams go on.
    package func goAway(errorCode: HTTP2ErrorCode = .noError) {}

    /// Takes bytes from the peer. Events seen before an error stay drainable.
    package func receive(_ bytes: Span<UInt8>) throws(HTTP2Error) {}
    package func receive(_ bytes: [UInt8]) throws(HTTP2Error) { try receive(bytes.span) }

    /// Appends pending output until the buffer holds at least `limit` bytes or nothing is left.
    /// Returns whether more may be waiting.
    @discardableResult
    package func writePending(into output: inout [UInt8], limit: Int = 64 << 10) -> Bool { false }

    /// Hands over the events since the last call.
    package func takeEvents() -> [HTTP2ClientEvent] { [] }

    /// What the peer allows now; before its SETTINGS, what the options assume.
    package var peerMaximumConcurrentStreams: Int { 0 }
    /// Requests submitted whose `streamClosed` has not been appended yet.
    package var openStreamCount: Int { 0 }
    /// Nothing more can be sent or received: close the connection.
    package var isFinished: Bool { false }
}
