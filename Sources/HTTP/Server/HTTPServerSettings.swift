package import EventLoop
package import Wire

/// The bounds and time limits of a server; each has a behaviour when it is reached.
package struct HTTPServerSettings: Sendable {
    /// Connections above its maximum hear 503 and are closed.
    package var listener = Listener.Settings()
    /// What parsing refuses, each with its status.
    package var limits = HTTPLimits()
    /// From the first byte of a request (or the start of the connection) to the end of its head; then 408.
    package var headerTimeoutMilliseconds = 10_000
    /// From the end of the head to the end of the body; then 408.
    package var bodyTimeoutMilliseconds = 30_000
    /// Between requests; then the connection is closed without a word.
    package var idleTimeoutMilliseconds = 75_000
    /// Pipelined requests handed to the responder and not yet answered; beyond it reading waits.
    package var maximumRequestsInFlight = 16
    /// Output not yet taken by the client: beyond it no further
    /// request is read, and a streaming response is cut off.
    package var maximumUnsentBytes = 1 << 20

    package init() {
        listener.socket.userTimeoutMilliseconds = 30_000
        listener.socket.keepAlive = SocketOptions.KeepAlive(idleSeconds: 60, intervalSeconds: 15, count: 4)
    }
}

/// What the server itself has to answer, without the responder.
package enum HTTPServerFailure: Error, Equatable, Sendable {
    case parse(HTTPParseError)
    /// The head or the body took too long.
    case tooSlow
    /// More connections than the maximum.
    case tooManyConnections
    /// The responder let go of a request without an answer.
    case notAnswered
    /// The gate was shut before the answer could be given: whether the request took effect is not known.
    case gateShut
    /// A streaming response was asked for by an HTTP/1.0 client, which knows no chunks.
    case needsHTTP11

    package var status: Int {
        switch self {
        case .parse(let error): error.status
        case .tooSlow: 408
        case .tooManyConnections, .gateShut: 503
        case .notAnswered: 500
        case .needsHTTP11: 505
        }
    }
}
