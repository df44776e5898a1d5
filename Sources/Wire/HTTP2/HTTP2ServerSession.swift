/// The server side of one HTTP/2 connection: bytes in, bytes out, events drained by the caller.
///
/// It does not enforce the advertised stream limit: the owner refuses streams by `reset(stream:errorCode:)`.
package final class HTTP2ServerSession {
    package struct Options: Sendable {
        /// What SETTINGS tells the peer at the start.
        package var advertisedMaximumConcurrentStreams = 1000
        /// A request body beyond this resets its stream with `enhanceYourCalm`.
        package var maximumBodyByteCount = 1 << 20
        package var initialWindowByteCount = 1 << 20

        package init() {}
    }

    package init(options: Options = Options()) throws(HTTP2Error) {}

    /// Queues the whole answer to a request; `headers` begins with `:status`.
    package func respond(stream: Int32, headers: HTTP2Headers, body: [UInt8]) throws(HTTP2Error) {}

    /// Queues RST_STREAM.
    package func reset(stream: Int32, errorCode: HTTP2ErrorCode) {}

    /// Queues SETTINGS with another stream limit; what is open stays open.
    package func advertise(maximumConcurrentStreams: Int) {}

    /// Queues a GOAWAY; open streams above `lastStreamID` are dropped unanswered. nil means the last one seen.
    package func goAway(lastStreamID: Int32?, errorCode: HTTP2ErrorCode, debugData: [UInt8]) {}

    package func ping(opaque: UInt64) {}

    package func receive(_ bytes: Span<UInt8>) throws(HTTP2Error) {}
    package func receive(_ bytes: [UInt8]) throws(HTTP2Error) { try receive(bytes.span) }

    @discardableResult
    package func writePending(into output: inout [UInt8], limit: Int = 64 << 10) -> Bool { false }

    package func takeEvents() -> [HTTP2ServerEvent] { [] }
    package var openStreamCount: Int { 0 }
    package var isFinished: Bool { false }
}
