package import EventLoop
package import Wire

/// Where the providers are and how they are reached.
package struct ProviderSettings: Sendable {
    package var apnsProduction: ProviderEndpoint
    package var apnsSandbox: ProviderEndpoint
    package var apnsTrust = TLSContext.Trust.system
    package var fcm: ProviderEndpoint
    package var fcmTrust = TLSContext.Trust.system
    /// Connections a channel may hold at a time.
    package var connectionsPerChannel = 1
    /// From the hand-over to the end of the answer; then the outcome is unknown.
    package var requestTimeoutMilliseconds = 20_000
    package var connectTimeoutMilliseconds = 10_000
    /// Streams used of one connection, whatever the peer allows.
    package var maximumStreamsPerConnection = 1_000
    package var timing = ChannelGate.Timing()
    /// Open while this process owns the data: past it nothing more is written to a provider.
    package var gate: (any WriteGate)?

    /// Apple's and Google's addresses, unless others are given; nil if one is no https URL.
    package init?(
        apnsProduction: String = "https://api.push.apple.com",
        apnsSandbox: String = "https://api.sandbox.push.apple.com",
        fcm: String = "https://fcm.googleapis.com"
    ) {
        guard let production = ProviderEndpoint(apnsProduction), let sandbox = ProviderEndpoint(apnsSandbox),
            let fcm = ProviderEndpoint(fcm)
        else { return nil }
        self.apnsProduction = production
        self.apnsSandbox = sandbox
        self.fcm = fcm
    }
}
