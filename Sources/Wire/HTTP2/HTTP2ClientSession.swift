/// The client side of one HTTP/2 connection: bytes in, bytes
/// out, events drained by the caller; no I/O, no clock.
///
/// Belongs to one thread at a time. After every call look at the events and write what is
/// pending: flow control, acknowledgements and the reasons for giving up travel there.
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

    private let session: NGHTTP2Session

    package init(options: Options = Options()) throws(HTTP2Error) {
        session = try NGHTTP2Session(
            .client,
            .init(
                initialPeerMaximumConcurrentStreams: UInt32(options.initialPeerMaximumConcurrentStreams),
                maximumBodyByteCount: options.maximumBodyByteCount,
                initialWindowByteCount: options.initialWindowByteCount))
    }

    /// Queues a request and gives its stream id; `tag` comes back with each of its events.
    ///
    /// Pseudo-header fields must come first. The body is kept, not copied, until it is sent. Requests
    /// above the peer's limit wait inside: gate on `peerMaximumConcurrentStreams` to keep them in your
    /// own hands. After a GOAWAY a request is taken and closed with `refusedStream`.
    package func submit(_ headers: HTTP2Headers, body: [UInt8], tag: Int) throws(HTTP2Error) -> Int32 {
        try session.submitRequest(headers, body: body, tag: tag)
    }

    /// Queues RST_STREAM; the stream's `streamClosed` follows when it is written.
    package func reset(stream: Int32, errorCode: HTTP2ErrorCode) { session.reset(stream, errorCode) }

    /// Queues a PING; its acknowledgement brings `opaque` back.
    package func ping(opaque: UInt64) { session.ping(opaque) }

    /// Queues a GOAWAY: no new streams from the peer; our own open streams go on.
    package func goAway(errorCode: HTTP2ErrorCode = .noError) { session.goAway(last: 0, errorCode, []) }

    /// Takes bytes from the peer. Events seen before an error stay drainable.
    package func receive(_ bytes: Span<UInt8>) throws(HTTP2Error) { try session.receive(bytes) }
    package func receive(_ bytes: [UInt8]) throws(HTTP2Error) { try session.receive(bytes.span) }

    /// Appends pending output until the buffer holds at least `limit` bytes or nothing is left.
    /// Returns whether more is waiting.
    @discardableResult
    package func writePending(into output: inout [UInt8], limit: Int = 64 << 10) -> Bool {
        session.writePending(into: &output, limit: limit)
    }

    /// Hands over the events since the last call.
    package func takeEvents() -> [HTTP2ClientEvent] {
        defer { session.clientEvents = [] }
        return session.clientEvents
    }

    /// Swaps the events since the last call into an array, so that both sides keep their buffers.
    package func takeEvents(into events: inout [HTTP2ClientEvent]) {
        events.removeAll(keepingCapacity: true)
        swap(&events, &session.clientEvents)
    }

    /// What the peer allows now; before its SETTINGS, what the options assume.
    package var peerMaximumConcurrentStreams: Int { Int(session.peerMaximumConcurrentStreams) }
    /// Requests submitted whose `streamClosed` has not been appended yet.
    package var openStreamCount: Int { session.openStreamCount }
    /// Nothing more can be sent or received: close the connection.
    package var isFinished: Bool { session.isFinished }
}
