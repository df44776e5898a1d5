package import EventLoop
package import Wire

/// A whole answer over HTTP/2.
package struct HTTP2Response: Equatable, Sendable {
    package let status: Int
    /// All fields, `:status` among them.
    package let headers: HTTP2Headers
    package let body: [UInt8]

    package init(status: Int, headers: HTTP2Headers, body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// How a request ended.
package enum HTTP2Outcome: Equatable, Sendable {
    case response(HTTP2Response)
    /// The peer did not process it: it may be sent again as if it had never been.
    case unprocessed(Unprocessed)
    /// The peer may have processed it: send it again only under the same id.
    case unknown(Unknown)

    package enum Unprocessed: Equatable, Sendable {
        /// RST_STREAM with REFUSED_STREAM, or above a GOAWAY's last stream.
        case refused
        /// The connection went before the request's first byte left this process.
        case neverSent
    }

    package enum Unknown: Equatable, Sendable {
        case timedOut
        /// The peer ended the stream with this code before its answer was whole.
        case reset(HTTP2ErrorCode)
        case connectionLost
    }
}

/// Why an HTTP/2 connection is no more.
package enum HTTP2Closure: Equatable, Sendable {
    /// Drained after a GOAWAY or on our request, nothing left open.
    case drained
    /// Closed by our `close`.
    case closedLocally
    case lost(StreamError)
    /// The peer ended the stream.
    case ended
    case broken(HTTP2Error)
    case pingUnanswered
}
