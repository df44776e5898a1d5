package import Domain

/// A provider channel: what is halted, paused and counted together.
package struct ChannelID: Hashable, Sendable {
    package let tenant: TenantKey
    package let transport: Transport
    package let environment: Environment

    package init(tenant: TenantKey, transport: Transport, environment: Environment) {
        self.tenant = tenant
        self.transport = transport
        self.environment = environment
    }
}

/// Names a request between the shard that built it and the sender.
package struct RequestID: Hashable, Sendable {
    package let shard: Int
    package let number: UInt64

    package init(shard: Int, number: UInt64) {
        self.shard = shard
        self.number = number
    }
}

/// A built push on its way to the provider. An object: it is large, and handed on from place to place.
package final class PushRequest: Sendable {
    package let id: RequestID
    package let channel: ChannelID
    package let tenant: TenantID
    package let user: UserID
    package let draft: PushDraft
    package let token: SealedToken
    package let fcmForm: Policy.FCMForm

    package init(
        id: RequestID, channel: ChannelID, tenant: TenantID, user: UserID, draft: PushDraft,
        token: SealedToken,
        fcmForm: Policy.FCMForm
    ) {
        // Nothing but a call may ever go to a VoIP token: iOS would take the app its calls away.
        precondition(
            channel.transport == draft.token.transport && token.digest.key == draft.token.key
                && channel.transport.carries(draft.kind), "\(draft.kind.word) over \(channel.transport.word)")
        self.id = id
        self.channel = channel
        self.tenant = tenant
        self.user = user
        self.draft = draft
        self.token = token
        self.fcmForm = fcmForm
    }
}

package struct PushReport: Sendable {
    package let request: RequestID
    package let verdict: PushVerdict
    package let answer: ProviderAnswer

    package init(request: RequestID, verdict: PushVerdict, answer: ProviderAnswer) {
        self.request = request
        self.verdict = verdict
        self.answer = answer
    }
}

/// The senders, behind one face. Every request handed over is answered by exactly one report.
package protocol PushSending: Sendable {
    /// Takes requests from any thread. A request that cannot go out now (no credential, channel halted, peer
    /// away) is reported as `.channelFault`, and the window of its channel set to 0 until it can.
    ///
    /// Before each write to a provider the sender asks `mayHandOver`; false: reported as `.channelFault`.
    func send(_ requests: [PushRequest])
}

/// What the senders tell the engine; any thread.
package protocol PushReporting: Sendable {
    /// In arrays: woken once.
    func report(_ reports: [PushReport])
    /// How many requests each shard may have with the channel at a time; 0 halts it.
    /// A channel of which nothing was ever said has a window of 16.
    func windowChanged(_ channel: ChannelID, perShard: Int, reason: String)
    /// The clock guard: whether this process still holds its lease with margin.
    var mayHandOver: Bool { get }
}
