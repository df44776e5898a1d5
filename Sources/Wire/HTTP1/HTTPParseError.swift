/// Why bytes were refused as HTTP/1.x; the connection cannot be used any further.
package enum HTTPParseError: Error, Equatable, Sendable {
    /// The start line is not `METHOD SP target SP HTTP/x.y`, or not a status line.
    case malformedStartLine
    /// The target is neither origin-form nor absolute-form, or is badly percent-encoded.
    case malformedTarget
    /// The version is well formed but is not 1.0 or 1.1.
    case unsupportedVersion
    /// A header line is not `token ":" value`, is folded, or holds control bytes.
    case malformedHeader
    /// A line ended in a bare LF or held a bare CR.
    case bareLineBreak
    /// HTTP/1.1 needs exactly one `Host`.
    case badHost
    /// `Content-Length` is repeated or is not a number.
    case badContentLength
    /// `Transfer-Encoding` beside `Content-Length`, repeated, or in HTTP/1.0.
    case conflictingFraming
    /// A transfer coding other than `chunked`.
    case unsupportedTransferEncoding
    /// A chunk-size line or a chunk's end is malformed, or its extensions are too long.
    case malformedChunk
    /// The start line passed its limit.
    case startLineTooLong
    /// The header or trailer lines passed their limit.
    case headersTooLarge
    /// The body passed its limit.
    case bodyTooLarge
    /// The peer closed before the message was complete.
    case truncated

    /// The status a server answers with before it closes.
    package var status: Int {
        switch self {
        case .startLineTooLong: 414
        case .headersTooLarge: 431
        case .bodyTooLarge: 413
        case .unsupportedVersion: 505
        case .unsupportedTransferEncoding: 501
        default: 400
        }
    }
}
