/// The server side of one HTTP/2 connection: bytes in, bytes out, events drained by the caller.
///
/// It does not enforce the advertised stream limit: the owner refuses streams by `reset(stream:errorCode:)`.
/// Belongs to one thread at a time.
package final class HTTP2ServerSession {
    package struct Options: Sendable {
        /// What SETTINGS tells the peer at the start.
        package var advertisedMaximumConcurrentStreams = 1000
        /// A request body beyond this resets its stream with `enhanceYourCalm`.
        package var maximumBodyByteCount = 1 << 20
        /// How much the peer may send ahead on each stream.
        package var initialWindowByteCount = 1 << 20

        package init() {}
    }

    private let session: NGHTTP2Session

    package init(options: Options = Options()) throws(HTTP2Error) {
        session = try NGHTTP2Session(
            .server,
            .init(
                maximumBodyByteCount: options.maximumBodyByteCount,
                initialWindowByteCount: options.initialWindowByteCount,
                advertisedMaximumConcurrentStreams: UInt32(options.advertisedMaximumConcurrentStreams)))
    }

    /// Queues the whole answer to a request; `headers` begins with `:status`.
    /// Throws `notSubmitted` when the stream is gone or has been answered.
    package func respond(stream: Int32, headers: HTTP2Headers, body: [UInt8]) throws(HTTP2Error) {
        try session.submitResponse(headers, body: body, stream: stream)
    }

    /// Queues RST_STREAM.
    package func reset(stream: Int32, errorCode: HTTP2ErrorCode) { session.reset(stream, errorCode) }

    /// Queues SETTINGS with another stream limit; what is open stays open.
    package func advertise(maximumConcurrentStreams: Int) {
        session.advertise(UInt32(maximumConcurrentStreams))
    }

    /// Queues a GOAWAY; open streams above `lastStreamID` are
    /// dropped unanswered. nil means the last one seen.
    package func goAway(lastStreamID: Int32? = nil, errorCode: HTTP2ErrorCode, debugData: [UInt8] = []) {
        session.goAway(last: lastStreamID, errorCode, debugData)
    }

    /// Queues a PING; its acknowledgement brings `opaque` back.
    package func ping(opaque: UInt64) { session.ping(opaque) }

    /// Takes bytes from the peer. nghttp2 tells of a broken protocol only when its
    /// GOAWAY is written: a call after that throws, and `isFinished` turns true.
    package func receive(_ bytes: Span<UInt8>) throws(HTTP2Error) { try session.receive(bytes) }
    package func receive(_ bytes: [UInt8]) throws(HTTP2Error) { try session.receive(bytes.span) }

    /// Appends pending output until the buffer holds at least `limit` bytes or nothing is left.
    /// Returns whether more is waiting.
    @discardableResult
    package func writePending(into output: inout [UInt8], limit: Int = 64 << 10) -> Bool {
        session.writePending(into: &output, limit: limit)
    }

    /// Hands over the events since the last call.
    package func takeEvents() -> [HTTP2ServerEvent] {
        defer { session.serverEvents = [] }
        return session.serverEvents
    }

    /// Swaps the events since the last call into an array, so that both sides keep their buffers.
    package func takeEvents(into events: inout [HTTP2ServerEvent]) {
        events.removeAll(keepingCapacity: true)
        swap(&events, &session.serverEvents)
    }

    /// Streams begun and not closed.
    package var openStreamCount: Int { session.openStreamCount }
    /// Nothing more can be sent or received: close the connection.
    package var isFinished: Bool { session.isFinished }
}
