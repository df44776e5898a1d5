/// What a client session learned from its peer; drained by the caller after `receive`, in order.
package enum HTTP2ClientEvent: Equatable, Sendable {
    /// The peer's SETTINGS arrived (again): how many streams it allows from now on.
    case settingsReceived(maximumConcurrentStreams: Int)
    /// The final response headers; interim (1xx) responses and trailers are not reported.
    case responseHeaders(stream: Int32, tag: Int, status: Int, headers: HTTP2Headers)
    /// A part of the response body, in order.
    case bodyData(stream: Int32, tag: Int, bytes: [UInt8])
    /// The stream is over and its tag will not be reported again. `.noError` after response
    /// headers is success; `.refusedStream` says that the peer did not process the request.
    case streamClosed(stream: Int32, tag: Int, errorCode: HTTP2ErrorCode)
    /// The peer will not answer streams above `lastStreamID`;
    /// those are closed with `.refusedStream` right after.
    case goAway(lastStreamID: Int32, errorCode: HTTP2ErrorCode, debugData: [UInt8])
    case pingAcknowledged(opaque: UInt64)
}

/// What a server session learned from its peer.
package enum HTTP2ServerEvent: Equatable, Sendable {
    /// A request's headers arrived; the body may still be coming. A stream reset now yields no `request`.
    case streamOpened(stream: Int32)
    /// A whole request.
    case request(stream: Int32, headers: HTTP2Headers, body: [UInt8])
    case streamClosed(stream: Int32, errorCode: HTTP2ErrorCode)
    case goAway(lastStreamID: Int32, errorCode: HTTP2ErrorCode, debugData: [UInt8])
    case settingsAcknowledged
    case pingAcknowledged(opaque: UInt64)
}

/// RFC 9113 §7; unknown codes are kept as they came.
package struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let noError = HTTP2ErrorCode(rawValue: 0x0)
    package static let protocolError = HTTP2ErrorCode(rawValue: 0x1)
    package static let internalError = HTTP2ErrorCode(rawValue: 0x2)
    package static let flowControlError = HTTP2ErrorCode(rawValue: 0x3)
    package static let streamClosed = HTTP2ErrorCode(rawValue: 0x5)
    package static let frameSizeError = HTTP2ErrorCode(rawValue: 0x6)
    package static let refusedStream = HTTP2ErrorCode(rawValue: 0x7)
    package static let cancel = HTTP2ErrorCode(rawValue: 0x8)
    package static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 0xB)
}

/// Why a session could not do what was asked. After `broken` the connection can only be closed.
package enum HTTP2Error: Error, Equatable, Sendable {
    /// The library has no memory for a session.
    case cannotStart(reason: String)
    /// The peer broke the protocol; pending output may hold a GOAWAY that says so.
    case broken(reason: String)
    /// A request or response could not be queued: stream ids used up, GOAWAY received, malformed field.
    case notSubmitted(reason: String)
}
