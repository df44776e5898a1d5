/// What a provider's answer means for the push, whatever the provider.
package enum PushVerdict: Equatable, Sendable {
    /// The provider took it. Proves nothing about the device.
    case accepted
    /// The answer was about this message and may change: an
    /// attempt is burned, the next waits at least so long.
    case retry(afterMilliseconds: Int64?)
    /// The token is dead; `since` is the provider's own time for it, if it gave one.
    case tokenDead(since: WallTime?)
    /// The message or its token is refused for good, the token stays.
    case rejected
    /// A fault of the channel, or an unknown outcome: no attempt is burned, the request is built again later.
    case channelFault
}

/// The provider's answer as it came, for the trace. An object: it is handed from the sender to each of the
/// tasks that it ends, and never changes.
package final class ProviderAnswer: Sendable {
    /// HTTP status; 0 when there was none.
    package let status: Int
    /// The provider's own word (`Unregistered`, `UNREGISTERED`, …) or ours for what never reached it.
    package let reason: String
    /// `apns-id`, FCM message name; empty when there was none.
    package let providerID: String
    /// The request was with the provider, and nothing was heard of it: it may have been accepted.
    package let isUnheard: Bool

    package init(status: Int, reason: String, providerID: String = "", isUnheard: Bool = false) {
        self.status = status
        self.reason = reason
        self.providerID = providerID
        self.isUnheard = isUnheard
    }
}

extension ProviderAnswer: Equatable {
    package static func == (left: ProviderAnswer, right: ProviderAnswer) -> Bool {
        left.status == right.status && left.reason == right.reason && left.providerID == right.providerID
            && left.isUnheard == right.isUnheard
    }
}
