package import EventLoop

/// The gateway's bounds and waiting times.
package struct GatewaySettings: Sendable {
    /// From the upgrade to a good credential; then 1008.
    package var authenticationMilliseconds = 5_000
    /// A connection that says nothing for so long is pinged; after two pings in vain it is closed.
    package var pingMilliseconds = 30_000
    /// Longest frame of a client; beyond it 1009.
    package var frameBytes = 16_384
    /// Live output the client has not taken; beyond it 4008. Catch-up never counts.
    package var unsentLiveBytes = 1 << 20
    /// The next page of the catch-up is fetched when no more than this is unsent.
    package var catchUpLowWaterBytes = 65_536
    /// Entries of a page at most; fewer where they are large.
    package var catchUpPageEntries = 200
    /// Changed conversations that may wait for the window of SESSION_DELTA; with more they are shown at once.
    package var pendingConversations = 200
    /// Frames of a client within one second; beyond it 1008.
    package var framesPerSecond = 500
    /// A renewal costs a signature: so many frames it counts for.
    package var renewalWeight = 50
    /// Frames that could not be used, over the connection's life; beyond it 1008.
    package var unusableFrames = 50

    package init() {}

    /// What the listener sets on the sockets that may become gateway connections: written bytes that stay
    /// unacknowledged for `tcp_user_timeout` end the connection, and a silent peer is probed.
    package static func socketOptions(userTimeoutMilliseconds: Int) -> SocketOptions {
        SocketOptions(
            noDelay: true, userTimeoutMilliseconds: userTimeoutMilliseconds,
            keepAlive: SocketOptions.KeepAlive(idleSeconds: 60, intervalSeconds: 5, count: 3))
    }
}
