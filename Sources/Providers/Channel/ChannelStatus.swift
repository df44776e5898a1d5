package import Domain
package import Engine

/// How a channel is, for the operator.
package struct ChannelStatus: Equatable, Sendable {
    package enum State: String, Sendable {
        case open
        /// Waits out a fault by itself.
        case paused
        /// Waits for the operator, and tries again from time to time.
        case halted
        /// Has no credential.
        case closed
    }

    package let channel: ChannelID
    package let state: State
    /// Why it does not send; empty while it does.
    package let reason: String
    /// Requests each shard may have with it.
    package let window: Int
    package let connections: Int
    package let inFlight: Int
    /// Waiting for a stream.
    package let waiting: Int
    package let handedOver: UInt64
    package let accepted: UInt64
    /// The last fault's word; stays after the channel has recovered.
    package let lastError: String
    /// When the present bearer token was issued.
    package let authorizedAt: WallTime?
}
